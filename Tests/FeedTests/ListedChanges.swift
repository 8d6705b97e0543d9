import Feed
import ServiceKit
import Synchronization

/// A log of changes in an array, and its watchers. The tests remove the oldest.
final class ListedChanges: ChangeLog {
    private struct State {
        var changes: [FeedChange] = []
        var forgotten = 0
    }

    private let state = Mutex(State())

    var mark: ChangeMark { state.withLock { mark($0.changes.count) } }

    func mark(_ number: Int) -> ChangeMark { ChangeMark(life: "this", number: number) }

    func record(_ change: FeedChange) { state.withLock { $0.changes.append(change) } }

    /// Forgets all changes but the last.
    func trim() { state.withLock { $0.forgotten = $0.changes.count - 1 } }

    func lastChange() -> ChangeMark { mark }

    func news(after mark: ChangeMark?) -> ChangeNews<FeedChange>? {
        state.withLock { state in
            let known = state.forgotten...state.changes.count
            guard let mark, mark.life == "this", known.contains(mark.number) else {
                return ChangeNews(.reset, mark: self.mark(state.changes.count))
            }
            guard mark.number < state.changes.count else { return nil }
            return ChangeNews(.change(state.changes[mark.number]), mark: self.mark(mark.number + 1))
        }
    }
}
