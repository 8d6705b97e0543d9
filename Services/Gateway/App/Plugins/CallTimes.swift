import NIOCore
import Synchronization

/// The calls to services that a request waits for, with their times, for the log of slow requests.
final class CallTimes: Sendable {
    /// Those of the current request; nil for work that no HTTP request waits for.
    @TaskLocal static var current: CallTimes?

    private let calls = Mutex<[(method: String, time: TimeAmount)]>([])

    /// A page makes a few calls.
    private static let most = 32

    func note(_ method: String, _ time: TimeAmount) {
        calls.withLock { calls in
            if calls.count < Self.most { calls.append((method, time)) }
        }
    }

    /// The calls so far, in the order of their ends.
    var all: [(method: String, time: TimeAmount)] { calls.withLock { $0 } }
}
