/// The value of an option is invalid.
public struct UpstreamOptionError: Error, Sendable, CustomStringConvertible {
    /// The reason and the remedy, for the operator.
    public let description: String

    init(_ description: String) { self.description = description }
}
