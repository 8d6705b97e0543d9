import Foundation

/// The URLs of an upstream's comments.
public struct CommentsEndpoint: Equatable, Sendable {
    private let base: URL

    /// - Parameter base: the base URL, with or without a path, with or without a trailing slash.
    public init(base: URL) { self.base = base }

    /// `{base}/v1/image/{UUID}/comments`.
    public func url(of imageID: UUID) -> URL {
        base.appending(path: "v1/image/\(imageID.uuidString)/comments")
    }
}
