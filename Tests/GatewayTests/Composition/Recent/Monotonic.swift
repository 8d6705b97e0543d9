import NIOCore
import Synchronization

/// A clock that the test sets.
final class Monotonic: Sendable {
    private let time = Mutex(NIODeadline.uptimeNanoseconds(1_000_000_000))

    var now: @Sendable () -> NIODeadline { { self.time.withLock { $0 } } }

    func advance(_ amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
}
