import NIOCore
import RPC

extension CallOptions {
    /// How long a call may take whose result the answer can omit: at most half of the caller's time, so that the answer
    /// without it is still in time.
    func timeOfOptionalCall(upTo limit: TimeAmount, now: NIODeadline) -> TimeAmount {
        min(limit, .nanoseconds((deadline(now: now) - now).nanoseconds / 2))
    }

    /// The options of such a call.
    func optional(within limit: TimeAmount, now: NIODeadline) -> CallOptions {
        var options = self
        options.timeout = timeOfOptionalCall(upTo: limit, now: now)
        return options
    }
}
