import RPC
import Synchronization
import UnixSignals

/// Ends long work in order when the user presses Ctrl-C, or when the process is to end for another reason.
enum Interruption {
    /// Runs work that changes a summary of what it has done, and cancels it at the first signal.
    /// - Parameter stop: if set, the first signal asks the work to stop, and only the second one cancels it.
    /// - Returns: the summary, also after an error or a signal, and the error that ended the work.
    static func summarizing<Summary: Sendable>(
        _ start: Summary, stop: Stop? = nil, _ work: @escaping @Sendable (inout Summary) async throws -> Void
    ) async throws -> (Summary, CommandFailure?) {
        try await cancelling(stop) {
            var summary = start
            do {
                try await work(&summary)
                return (summary, nil)
            } catch let error as CommandFailure {
                return (summary, error)
            } catch let error as RPCError {
                return (summary, CommandFailure(error))
            }
        }
    }

    /// Tells work that a user wants it to end with what it has done.
    final class Stop: Sendable {
        private let state = Atomic(false)

        var isWanted: Bool { state.load(ordering: .relaxed) }

        fileprivate func want() { state.store(true, ordering: .relaxed) }
    }

    /// Runs `body`, and cancels it at the first signal, or after `stop` at the second one.
    /// - Returns: what `body` returns, also after it was cancelled.
    static func cancelling<Result: Sendable>(
        _ stop: Stop? = nil, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals {
                    guard let stop, !stop.isWanted else { break }
                    stop.want()
                }
                return nil
            }
            while let ended = try await group.next() {
                group.cancelAll()
                if let result = ended { return result }
            }
            throw CancellationError()
        }
    }
}
