/// Where handlers wait until the script lets them go on. All that use it are on one thread.
final class FuzzGate: @unchecked Sendable {
    private var waiting: [AsyncStream<Void>.Continuation] = []

    @Sendable func pass() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waiting.append(continuation)
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// Lets the one go that waits longest.
    func open() {
        if !waiting.isEmpty { waiting.removeFirst().finish() }
    }
}
