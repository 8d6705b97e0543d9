import Synchronization

/// Blocks handlers until a test releases them; reports when they arrive and when they are cancelled.
final class Gate: Sendable {
    private typealias Release = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    private let arrivals = AsyncStream.makeStream(of: String.self)
    private let cancellations = AsyncStream.makeStream(of: String.self)
    private let releases = Mutex<[String: Release]>([:])

    /// For a handler: returns when the gate is opened for this name; throws when the task is cancelled.
    func pass(_ name: String) async throws {
        arrivals.continuation.yield(name)
        for await _ in release(name).stream {}
        guard Task.isCancelled else { return }
        cancellations.continuation.yield(name)
        throw CancellationError()
    }

    /// Releases the handler with this name, now or when it arrives.
    func open(_ name: String) { release(name).continuation.finish() }

    /// Waits for the next handler to arrive.
    func arrival() async -> String? { await arrivals.stream.first { _ in true } }

    /// Waits for the next handler that is cancelled while blocked.
    func cancellation() async -> String? { await cancellations.stream.first { _ in true } }

    private func release(_ name: String) -> Release {
        releases.withLock { releases in
            let release = releases[name] ?? AsyncStream.makeStream(of: Void.self)
            releases[name] = release
            return release
        }
    }
}
