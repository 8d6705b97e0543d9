import RPC
import Synchronization

/// The runtime with a trivial handler.
enum RuntimeServer {
    static func serve(on path: String) async throws {
        let server = RPCServer(
            identity: ServiceIdentity(name: "bench", version: "1"), methods: methods, onFault: { _ in })
        // Ends when it is killed.
        try await server.run(on: ListeningSocket(path: SocketPath(path)), until: { await Task.never() })
    }

    private static var methods: MethodTable {
        let replies = Replies()
        var table = MethodTable(Contract(name: "bench", version: 1, methods: [BenchContract.get.description]))
        table.handle(BenchContract.get) { request, _ in replies.ofSize(request.bytes) }
        return table
    }
}

/// Replies that are at hand, so that making them is not what is measured.
private final class Replies: Sendable {
    private let bySize = Mutex<[Int: BenchContract.Reply]>([:])

    func ofSize(_ bytes: Int) -> BenchContract.Reply {
        bySize.withLock { bySize in
            if let reply = bySize[bytes] { return reply }
            let reply = BenchContract.Reply(value: String(repeating: "v", count: bytes))
            bySize[bytes] = reply
            return reply
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Returns when the task is cancelled.
    fileprivate static func never() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }
}
