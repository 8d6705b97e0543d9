/// An error that a handler may throw in place of the `RPCError` that callers get for it.
public protocol AnsweredError: Error {
    /// The error for callers. It contains nothing that they must not see.
    var answer: RPCError { get }
}
