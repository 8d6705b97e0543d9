import NIOCore

/// The calls that wait to be handled, and the workers that handle them. Lives on the event loop.
///
/// A worker is a task that handles one call after the other, so that a call needs no task of its own. One worker at a time
/// is woken; before it begins with a call it wakes the next if there is more to do. So handlers that never wait share one
/// worker, and one that waits holds up nobody.
final class CallQueue {
    private var calls = CircularBuffer<Call>()
    private var idle: [UnsafeContinuation<Void, Never>] = []

    /// A worker is on its way and has not looked at the queue yet.
    private var isWaking = false
    private var isClosed = false

    /// Asks for one more worker.
    private let hire: AsyncStream<Void>.Continuation

    /// How many workers are kept for when they are needed again.
    private static let idleLimit = 64

    init(hire: AsyncStream<Void>.Continuation) { self.hire = hire }

    func add(_ call: Call) {
        calls.append(call)
        wake()
    }

    /// For a worker: the next call.
    /// - Parameter isNew: whether the worker asks for the first time.
    /// - Returns: nil when the worker is not needed any more.
    nonisolated(nonsending) func next(isNew: Bool) async -> Call? {
        if isNew { isWaking = false }
        while !isClosed || !calls.isEmpty {
            if let call = take() { return call }
            guard !isClosed, idle.count < Self.idleLimit else { return nil }
            await withUnsafeContinuation { idle.append($0) }
            isWaking = false
        }
        return nil
    }

    /// For a worker that was told to stop, because its call was: others go on.
    func leave() { wake() }

    /// No calls will come any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        hire.finish()
        let idle = idle
        self.idle = []
        for worker in idle { worker.resume() }
    }

    private func take() -> Call? {
        while let call = calls.popFirst() {
            // A peer that does not take its answers gets no new ones.
            if !call.isAnswered, !call.connection.hasRoom {
                call.connection.whenRoom { self.add(call) }
                continue
            }
            wake()
            return call
        }
        return nil
    }

    private func wake() {
        guard !calls.isEmpty, !isWaking else { return }
        isWaking = true
        if let worker = idle.popLast() { worker.resume() } else { hire.yield() }
    }
}
