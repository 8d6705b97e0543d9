import NIOCore
import RPC

extension CallOptions {
    /// How long a call may take whose result the answer can omit: at most half of the caller's time, so that the answer
    /// without it is still in time.
    func timeOfOptionalCall(upTo limit: TimeAmount) -> TimeAmount {
        min(limit, .nanoseconds((deadline - .now()).nanoseconds / 2))
    }

    /// The options of such a call.
    func optional(within limit: TimeAmount) -> CallOptions {
        var options = self
        options.deadline = .now() + timeOfOptionalCall(upTo: limit)
        return options
    }
}
