/// Blocks handlers until the script releases them. Used by one thread only.
final class FuzzGate: @unchecked Sendable {
    private var waiting: [AsyncStream<Void>.Continuation] = []

    @Sendable func pass() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waiting.append(continuation)
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// Releases the handler that has waited longest.
    func open() {
        if !waiting.isEmpty { waiting.removeFirst().finish() }
    }
}
