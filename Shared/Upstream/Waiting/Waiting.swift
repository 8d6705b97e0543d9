import NIOCore

/// A value or error that a task waits for and that code on the event loop provides. It ends once: with a value or an error, by
/// its time limit, or by cancellation of the task, whichever is first. Runs on the event loop.
final class Waiting<Value> {
    private enum State {
        case idle
        case waiting(UnsafeContinuation<Void, Never>)
        case ended(Result<Value, UpstreamError>)
    }

    private var state = State.idle

    /// Ends the waiting with a result.
    /// - Returns: whether the task receives this result; false when it had already ended.
    @discardableResult func end(_ result: Result<Value, UpstreamError>) -> Bool {
        switch state {
        case .idle: state = .ended(result)
        case .waiting(let continuation):
            state = .ended(result)
            // Resumed once: no transition returns to this state.
            continuation.resume()
        case .ended: return false
        }
        return true
    }

    /// The result; nil until it has ended.
    var result: Result<Value, UpstreamError>? { if case .ended(let result) = state { result } else { nil } }

    /// Waits for the value. The caller must be on the event loop.
    /// - Parameters:
    ///   - partial: the part of the response that the error of the limit has.
    ///   - whenLeft: stops the work when the task is cancelled or the limit has passed.
    func value(
        within limit: TimeLimit, on loop: any EventLoop, partial: @escaping () -> UpstreamResponse? = { nil },
        isolation: isolated (any Actor)? = #isolation, whenLeft: @escaping () -> Void
    ) async throws(UpstreamError) -> Value {
        // End first: errors that `whenLeft` causes come too late to be the result.
        func leave(_ error: UpstreamError) { if end(.failure(error)) { whenLeft() } }
        let timer = limit.clock.schedule(at: limit.deadline, on: loop) { leave(limit.error(partial: partial())) }
        let cancel = NIOLoopBound({ leave(.cancelled) }, eventLoop: loop)
        await withTaskCancellationHandler {
            // A closure that captures `isolation` runs in the caller's isolation. Otherwise it would leave the event loop and
            // race with `end`.
            _ = isolation
            await withUnsafeContinuation { continuation in
                loop.preconditionInEventLoop()
                guard case .idle = state else { return continuation.resume() }
                state = .waiting(continuation)
            }
        } onCancel: {
            loop.execute { cancel.value() }
        }
        timer.cancel()
        guard case .ended(let result) = state else { throw .cancelled }
        return try result.get()
    }
}
