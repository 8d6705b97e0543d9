import Synchronization

@testable import RPC

/// Holds weak references to objects, to tell which of them still exist.
final class Witness: Sendable {
    /// `@unchecked Sendable`: it only checks whether an object exists, and weak references may be read from any thread.
    private struct Sight: @unchecked Sendable {
        let name: String
        weak var object: AnyObject?
    }

    private let sights = Mutex<[Sight]>([])

    func see(_ objects: AnyObject?...) {
        sights.withLock { sights in
            for case let object? in objects { sights.append(Sight(name: "\(type(of: object))", object: object)) }
        }
    }

    /// The types of all recorded objects.
    var seen: Set<String> { sights.withLock { Set($0.map(\.name)) } }

    /// The types of the objects that still exist.
    var left: [String] { sights.withLock { $0.filter { $0.object != nil }.map(\.name).sorted() } }

    /// On the event loop of the connection.
    func see(_ connection: ServerConnection) {
        see(connection, connection.core, connection.transport, connection.writer, connection.channel)
        for call in connection.calls.values { see(call, call.stream, call.missing, call.answer) }
    }

    /// On the event loop of the client.
    func see(_ core: ClientCore, calls: ClosedRange<Int>) {
        see(core)
        if case .ready(let connection) = core.state { see(connection, connection.transport, connection.channel) }
        for id in calls {
            guard let call = core.call(id) else { continue }
            see(call, call.stream, call.outgoing)
        }
    }
}
