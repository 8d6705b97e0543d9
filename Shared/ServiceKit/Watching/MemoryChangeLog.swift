import RPC
import Synchronization

/// A log of changes in the memory of one process. A watcher that is too far behind never delays the others.
public final class MemoryChangeLog<Change: WatchedChange>: ChangeLog {
    /// The maximum number of changes in the log.
    public static var maximumCount: Int { 10_000 }

    /// The maximum size of the texts in the log, in bytes: large changes make the log shorter. The latest change always
    /// remains.
    public static var maximumBytes: Int { 64 << 20 }

    private struct State {
        /// A ring: the change with number n is at (n − 1) modulo `maximumCount`.
        var ring: [Change?] = []
        var bytes = 0

        /// The numbers of the changes in the log.
        var numbers = 1..<1
    }

    /// Distinguishes this log from those of other instances of the service.
    private let life: String
    private let state = Mutex(State())

    public init(life: String) { self.life = life }

    /// The mark at the end of the log.
    public var mark: ChangeMark { state.withLock { mark($0.numbers.upperBound - 1) } }

    public func lastChange() -> ChangeMark { mark }

    public func record(_ change: Change) {
        state.withLock { state in
            let number = state.numbers.upperBound
            if state.numbers.count == Self.maximumCount { forgetOldest(&state) }
            state.numbers = state.numbers.lowerBound..<number + 1
            if state.ring.count < Self.maximumCount {
                state.ring.append(change)
            } else {
                state.ring[place(number)] = change
            }
            state.bytes += change.weight
            while state.bytes > Self.maximumBytes, state.numbers.count > 1 { forgetOldest(&state) }
        }
    }

    public func news(after mark: ChangeMark?) -> ChangeNews<Change>? {
        state.withLock { state in
            let numbers = state.numbers
            guard let mark, mark.life == life, (numbers.lowerBound - 1..<numbers.upperBound).contains(mark.number)
            else {
                return ChangeNews(.reset, mark: self.mark(numbers.upperBound - 1))
            }
            let number = mark.number + 1
            guard numbers.contains(number), let change = state.ring[place(number)] else { return nil }
            return ChangeNews(.change(change), mark: self.mark(number))
        }
    }

    private func forgetOldest(_ state: inout State) {
        let oldest = place(state.numbers.lowerBound)
        state.bytes -= state.ring[oldest]?.weight ?? 0
        state.ring[oldest] = nil
        state.numbers = state.numbers.lowerBound + 1..<state.numbers.upperBound
    }

    private func place(_ number: Int) -> Int { (number - 1) % Self.maximumCount }

    private func mark(_ number: Int) -> ChangeMark { ChangeMark(life: life, number: number) }
}

/// Changes that a service records itself, and their watchers.
public struct RecordedChanges<Change: WatchedChange>: Sendable {
    package let log: MemoryChangeLog<Change>
    public let broadcast: ChangeBroadcast<Change>

    /// - Parameter life: identifies this instance of the service.
    public init(life: String, executor: LoopExecutor = .shared) {
        log = MemoryChangeLog(life: life)
        broadcast = ChangeBroadcast(log, executor: executor)
    }

    /// Records a change and wakes the watchers.
    public func record(_ change: Change) {
        log.record(change)
        broadcast.wake()
    }
}
