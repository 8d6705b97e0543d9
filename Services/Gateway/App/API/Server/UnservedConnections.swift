import NIOCore
import Synchronization

/// The accepted connections that no task serves yet.
///
/// When the listener closes, NIO drops those that wait for a task, and to drop a `NIOAsyncChannel` that was never executed is a fatal
/// error. So each of them is held here until a task serves it or `close` ends it.
final class UnservedConnections: Sendable {
    /// Nil once they are closed.
    private let connections = Mutex<[ObjectIdentifier: HTTPConnection.Parts]?>([:])

    /// The listener is closed.
    struct Closed: Error {}

    /// - Parameter make: wraps the channel.
    func add(
        _ channel: any Channel, _ make: () throws -> HTTPConnection.Parts
    ) throws -> HTTPConnection.Parts {
        try connections.withLock { connections in
            guard connections != nil else { throw Closed() }
            let parts = try make()
            connections?[ObjectIdentifier(channel)] = parts
            return parts
        }
    }

    var count: Int { connections.withLock { $0?.count ?? 0 } }

    /// Notes that a task serves the connection.
    func remove(_ connection: HTTPConnection.Parts) {
        connections.withLock { $0?[ObjectIdentifier(connection.channel)] = nil }
    }

    /// Closes the connections, and refuses further ones.
    func close() async {
        let unserved = connections.withLock { connections in
            defer { connections = nil }
            return connections ?? [:]
        }
        for connection in unserved.values {
            // A failure is that of a connection which is closed already.
            try? await connection.executeThenClose { _, _ in }
        }
    }
}
