import Synchronization

/// A state behind a lock whose changes can be awaited, so that nothing has to poll it.
public final class Watched<State: Sendable>: Sendable {
    private struct Watcher {
        let number: Int
        let isSo: @Sendable (State) -> Bool
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct Content {
        var state: State
        var watchers: [Watcher] = []
        var lastNumber = 0

        /// Removes the watchers that need not wait any more.
        mutating func removeDone() -> [Watcher] {
            guard !watchers.isEmpty else { return [] }
            let done = watchers.filter { $0.isSo(state) }
            if !done.isEmpty { watchers.removeAll { watcher in done.contains { $0.number == watcher.number } } }
            return done
        }
    }

    private let content: Mutex<Content>

    public init(_ state: State) { content = Mutex(Content(state: state)) }

    /// Reads or changes the state, and resumes the tasks that waited for what it is now.
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        var done: [Watcher] = []
        defer { for watcher in done { watcher.continuation.resume() } }
        return try content.withLock { content throws(Failure) in
            defer { done = content.removeDone() }
            return try body(&content.state)
        }
    }

    /// Returns as soon as the state fulfils the condition, or the task is cancelled.
    /// - Parameter isSo: called with each state, under the lock.
    public func wait(until isSo: @escaping @Sendable (State) -> Bool) async {
        let number = content.withLock { content in
            content.lastNumber += 1
            return content.lastNumber
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isDone = content.withLock { content in
                    // Cancelled from now on, `leave` finds the watcher.
                    if isSo(content.state) || Task.isCancelled { return true }
                    content.watchers.append(Watcher(number: number, isSo: isSo, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            leave(number)
        }
    }

    /// Returns as soon as the state fulfils the condition, also in a cancelled task: for what must end before the task may.
    /// - Parameter isSo: called with each state, under the lock.
    public func waitDespiteCancellation(until isSo: @escaping @Sendable (State) -> Bool) async {
        await withUnsafeContinuation { continuation in
            let isDone = content.withLock { content in
                if isSo(content.state) { return true }
                content.lastNumber += 1
                content.watchers.append(Watcher(number: content.lastNumber, isSo: isSo, continuation: continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    private func leave(_ number: Int) {
        let watcher = content.withLock { content -> Watcher? in
            guard let index = content.watchers.firstIndex(where: { $0.number == number }) else { return nil }
            return content.watchers.remove(at: index)
        }
        watcher?.continuation.resume()
    }
}
