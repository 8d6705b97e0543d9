import Synchronization

/// Where handlers wait until a test lets them go, and tell when they arrive and when they are cancelled.
final class Gate: Sendable {
    private typealias Release = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    private let arrivals = AsyncStream.makeStream(of: String.self)
    private let cancellations = AsyncStream.makeStream(of: String.self)
    private let releases = Mutex<[String: Release]>([:])

    /// For a handler: returns when the gate is opened for this name, throws when the task is cancelled.
    func pass(_ name: String) async throws {
        arrivals.continuation.yield(name)
        for await _ in release(name).stream {}
        guard Task.isCancelled else { return }
        cancellations.continuation.yield(name)
        throw CancellationError()
    }

    /// Lets the handler of this name go, also when it is not there yet.
    func open(_ name: String) { release(name).continuation.finish() }

    /// The next handler to arrive.
    func arrival() async -> String? { await arrivals.stream.first { _ in true } }

    /// The next handler to be cancelled while it waits.
    func cancellation() async -> String? { await cancellations.stream.first { _ in true } }

    private func release(_ name: String) -> Release {
        releases.withLock { releases in
            let release = releases[name] ?? AsyncStream.makeStream(of: Void.self)
            releases[name] = release
            return release
        }
    }
}
