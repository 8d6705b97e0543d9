/// The reason why an answer has no usable comments.
public enum CommentsMapperError: Error, Equatable, Sendable {
    /// The upstream does not know the image.
    case notFound

    /// The answer is invalid. The text is for the log only, because it quotes the upstream.
    case rejected(String)
}
