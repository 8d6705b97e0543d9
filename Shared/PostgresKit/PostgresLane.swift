import Dispatch
import ServiceKit

/// A connection with a thread of its own, which may block. It connects when it is used, and again after its connection has ended.
actor PostgresLane {
    private let executor: QueueExecutor
    private let open: @Sendable () throws -> PostgresConnection
    private var connection: PostgresConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ name: String, open: @escaping @Sendable () throws -> PostgresConnection) {
        executor = QueueExecutor(name)
        self.open = open
    }

    /// Runs `body` with the connection.
    /// - Parameter use: lets the caller's cancellation interrupt it; nil for a write, which is not interrupted once it has begun.
    func run<Result: Sendable>(
        _ use: InterruptibleUse?, _ body: @Sendable (PostgresConnection) throws -> Result
    ) throws -> Result {
        let connection = try connected()
        try use?.begin(connection.signal)
        defer { if use?.end() == true || connection.isBroken || connection.isOutdated { self.connection = nil } }
        return try body(connection)
    }

    private func connected() throws -> PostgresConnection {
        if let connection, connection.isAlive { return connection }
        connection = nil
        let new = try open()
        connection = new
        return new
    }
}

/// Runs an actor on a dispatch queue, whose thread may block, not on the threads of the concurrency runtime, which may not.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
