/// A part of a page that could not be shown, while the rest of it was.
public struct ProblemViewModel: Equatable, Sendable {
    public let service: String
    /// The error's kind, for programs.
    public let kind: String
    /// What the reader is told.
    public let message: String

    public init(service: String, kind: String, message: String) {
        self.service = service
        self.kind = kind
        self.message = message
    }
}
