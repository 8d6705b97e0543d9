/// Why an answer has no comments that could be used.
public enum CommentsMapperError: Error, Equatable, Sendable {
    /// The upstream knows no such image.
    case notFound

    /// For a log: the upstream's words are in it.
    case rejected(String)
}
