import NIOCore

/// What a task waits for while others bring it about on the event loop. It ends once, by whoever comes first: those who
/// have the value or an error, the time limit, or the cancelling of the task. Lives on the event loop.
final class Waiting<Value> {
    /// Why nobody waits any more.
    enum Leaving { case cancelled, timedOut }

    private enum State {
        case idle
        case waiting(UnsafeContinuation<Void, Never>)
        case ended(Result<Value, UpstreamError>)
    }

    private var state = State.idle

    /// - Returns: whether this is what the task gets; false when it has ended before.
    @discardableResult func end(_ result: Result<Value, UpstreamError>) -> Bool {
        switch state {
        case .idle: state = .ended(result)
        case .waiting(let continuation):
            state = .ended(result)
            // Resumed once: nothing leads back to this state.
            continuation.resume()
        case .ended: return false
        }
        return true
    }

    /// How it has ended; nil while it has not.
    var result: Result<Value, UpstreamError>? { if case .ended(let result) = state { result } else { nil } }

    /// Waits on the event loop, which the caller must be on.
    /// - Parameters:
    ///   - error: which one it is when nobody waits any more.
    ///   - whenLeft: ends what goes on for nobody then.
    func value(
        until deadline: NIODeadline, on loop: any EventLoop, error: @escaping (Leaving) -> UpstreamError,
        isolation: isolated (any Actor)? = #isolation, whenLeft: @escaping () -> Void
    ) async throws(UpstreamError) -> Value {
        // Whatever the ending of things leads to comes too late to be the error.
        func leave(_ why: Leaving) { if end(.failure(error(why))) { whenLeft() } }
        let timer = loop.schedule(at: deadline) { leave(.timedOut) }
        let cancel = NIOLoopBound({ leave(.cancelled) }, eventLoop: loop)
        await withTaskCancellationHandler {
            // Only a closure that mentions it runs where the caller does; another one would hop off the event loop, and
            // race with what ends this.
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
