import NIOCore

extension HTTPObservation {
    /// The value of `Server-Timing`: each call to a service and the whole time, in milliseconds.
    var serverTiming: String {
        let parts = calls.all + [(method: "total", time: waitingTime)]
        return parts.map { "\($0.method);dur=\(Double($0.time.nanoseconds / 1_000) / 1_000)" }.joined(separator: ", ")
    }
}
