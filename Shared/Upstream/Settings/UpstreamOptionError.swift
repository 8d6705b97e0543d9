/// A setting that an operator has given is not what it should be.
public struct UpstreamOptionError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, for people.
    public let description: String

    init(_ description: String) { self.description = description }
}
