import Timing

/// Limits the number of processes that run at a time. The others wait, first come, first served.
final class ProcessSlots: Sendable {
    /// Two: making pictures must not take all processors from serving them.
    static let atATime = 2

    /// The maximum number of waiting callers; more are refused.
    static let longestQueue = 64

    /// The numbers of running and of waiting callers.
    struct Load: Equatable {
        let running: Int
        let waiting: Int

        static let none = Load(running: 0, waiting: 0)
    }

    /// The queue is full.
    struct Full: Error {}

    private enum Turn { case taken, full, cancelled }

    private struct State {
        var free = ProcessSlots.atATime
        var waiting: [(number: Int, UnsafeContinuation<Turn, Never>)] = []
        var last = 0

        var load: Load { Load(running: ProcessSlots.atATime - free, waiting: waiting.count) }
    }

    private let state = Watched(State())

    var load: Load { state.withLock(\.load) }

    /// Waits until the load fulfils the condition.
    func wait(until isSo: @escaping @Sendable (Load) -> Bool) async { await state.wait { isSo($0.load) } }

    /// - Throws: `Full`, `CancellationError`, or what `body` throws.
    func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let turn = await withTaskCancellationHandler {
            await withUnsafeContinuation { join(number, $0) }
        } onCancel: {
            leave(number)
        }
        switch turn {
        case .taken: break
        case .full: throw Full()
        case .cancelled: throw CancellationError()
        }
        defer { pass() }
        try Task.checkCancellation()
        return try await body()
    }

    private func join(_ number: Int, _ continuation: UnsafeContinuation<Turn, Never>) {
        let turn: Turn? = state.withLock { state in
            guard !Task.isCancelled else { return .cancelled }
            guard state.free <= 0 else {
                state.free -= 1
                return .taken
            }
            guard state.waiting.count < Self.longestQueue else { return .full }
            state.waiting.append((number, continuation))
            return nil
        }
        if let turn { continuation.resume(returning: turn) }
    }

    private func leave(_ number: Int) {
        let left = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        left?.1.resume(returning: .cancelled)
    }

    /// Gives the slot to the next caller.
    private func pass() {
        let next = state.withLock { state in
            if state.waiting.isEmpty { state.free += 1 }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.1.resume(returning: .taken)
    }
}
