import Foundation
import Synchronization

/// A clock that the test sets. It starts at `moment(0)`.
public final class TestClock: Sendable {
    private let state = Mutex(moment(0))

    public init() {}

    public var now: Date {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    public func advance(_ seconds: TimeInterval) { state.withLock { $0 += seconds } }

    @Sendable public func read() -> Date { now }
}

/// A time in seconds after a fixed noon.
public func moment(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_772_366_400 + seconds) }
