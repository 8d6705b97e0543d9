/// The reason why an answer has no usable comments.
public enum CommentsMapperError: Error, Equatable, Sendable {
    /// The status is 404.
    /// - Parameter isCertain: whether the body is a problem document of this API. Proxies answer 404 in plain text while a server
    ///   restarts.
    case notFound(isCertain: Bool)

    /// The answer is invalid. The text is for the log only, because it quotes the upstream.
    case rejected(String)
}
