/// A missing part of a page whose other parts are shown.
public struct ProblemViewModel: Equatable, Sendable {
    public let service: String
    /// The error kind, for programs.
    public let kind: String
    /// The text for the user.
    public let message: String

    public init(service: String, kind: String, message: String) {
        self.service = service
        self.kind = kind
        self.message = message
    }
}
