import NIOCore

extension NIOLoopBound {
    /// Runs `body` on the event loop; synchronously if already on it.
    func onLoop(_ body: @escaping @Sendable (Value) -> Void) {
        if eventLoop.inEventLoop {
            body(value)
        } else {
            eventLoop.execute { body(self.value) }
        }
    }

    /// Returns a value computed on the event loop.
    func look<Seen: Sendable>(_ look: @escaping @Sendable (Value) -> Seen) async -> Seen {
        await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: look($0)) }
        }
    }
}
