import Foundation
import RPC
import Synchronization

/// The runtime with a trivial handler.
enum RuntimeServer {
    static func serve(on path: String) async throws {
        let server = RPCServer(
            identity: ServiceIdentity(name: "bench", version: "1"), methods: methods, onFault: { _ in })
        // Ends when it is killed.
        try await server.run(on: ListeningSocket(path: SocketPath(path)), until: { await Task.untilCancelled() })
    }

    private static var methods: MethodTable {
        let texts = Replies { BenchContract.Reply(value: String(repeating: "v", count: $0)) }
        // With their checksums, as bytes that are stored have them.
        let blobs = Replies { BenchContract.Blob(value: Bytes(Data(repeating: UInt8(ascii: "v"), count: $0))) }
        let waits = Waits()
        var table = MethodTable(BenchContract.contract)
        table.handle(BenchContract.get) { request, _ in texts.ofSize(request.bytes) }
        table.handle(BenchContract.blob) { request, _ in blobs.ofSize(request.bytes) }
        table.handle(BenchContract.wait) { wait, _ in
            await waits.wait(as: wait.number)
            return Empty()
        }
        table.handle(BenchContract.cancelled) { wait, _ in waits.state(of: wait.number) }
        return table
    }
}

/// Replies that are at hand, so that making them is not what is measured.
private final class Replies<Reply: Sendable>: Sendable {
    private let bySize = Mutex<[Int: Reply]>([:])
    private let make: @Sendable (Int) -> Reply

    init(_ make: @escaping @Sendable (Int) -> Reply) { self.make = make }

    func ofSize(_ bytes: Int) -> Reply {
        bySize.withLock { bySize in
            if let reply = bySize[bytes] { return reply }
            let reply = make(bytes)
            bySize[bytes] = reply
            return reply
        }
    }
}
