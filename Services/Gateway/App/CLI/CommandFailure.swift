import RPC

/// An error of a command, with what the user can do.
struct CommandFailure: Error {
    let error: RPCError
    let hints: [String]

    /// The exit code, if it is not that of the error's kind.
    let exitCode: Int32?

    init(_ error: RPCError, hints: [String] = [], exitCode: Int32? = nil) {
        (self.error, self.hints, self.exitCode) = (error, hints, exitCode)
    }

    /// Invalid usage that the command found itself.
    static func usage(_ message: String, hints: [String] = []) -> CommandFailure {
        CommandFailure(RPCError(.invalidParams, message, begun: false), hints: hints)
    }
}
