import NIOCore
import RPC
import Timing

extension CallOptions {
    /// How long a call may take whose result the answer can omit: at most half of the caller's time, so that the answer
    /// without it is still in time.
    func timeOfOptionalCall(upTo limit: TimeAmount, on clock: any MonotonicClock = .system) -> TimeAmount {
        let now = clock.now
        return min(limit, .nanoseconds((deadline(now: now) - now).nanoseconds / 2))
    }

    /// The options of such a call.
    func optional(within limit: TimeAmount, on clock: any MonotonicClock = .system) -> CallOptions {
        var options = self
        options.timeout = timeOfOptionalCall(upTo: limit, on: clock)
        return options
    }
}
