import NIOCore

extension NIOLoopBound {
    /// Runs `body` on the event loop, at once when that is where it is called.
    func onLoop(_ body: @escaping @Sendable (Value) -> Void) {
        if eventLoop.inEventLoop {
            body(value)
        } else {
            eventLoop.execute { body(self.value) }
        }
    }

    /// What there is to see on the event loop.
    func look<Seen: Sendable>(_ look: @escaping @Sendable (Value) -> Seen) async -> Seen {
        await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: look($0)) }
        }
    }
}
