import Foundation

/// The URLs of an upstream's comments.
public struct CommentsEndpoint: Equatable, Sendable {
    private let base: URL

    /// - Parameter base: the base URL, with or without a path, with or without a trailing slash.
    public init(base: URL) { self.base = base }

    /// The URL of the events that tell of changes.
    public var events: String { base.appending(path: "v1/comments/events").absoluteString }

    /// `{base}/v1/image/{UUID}/comments`.
    public func url(of imageID: UUID) -> URL {
        base.appending(path: "v1/image/\(imageID.uuidString)/comments")
    }
}
