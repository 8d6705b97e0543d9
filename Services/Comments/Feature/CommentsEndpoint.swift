import Foundation

/// Where an upstream has its comments.
public struct CommentsEndpoint: Equatable, Sendable {
    private let base: URL

    /// - Parameter base: with or without a path, with or without a slash at the end.
    public init(base: URL) { self.base = base }

    /// `{base}/v1/image/{UUID}/comments`.
    public func url(of imageID: UUID) -> URL {
        base.appending(path: "v1/image/\(imageID.uuidString)/comments")
    }
}
