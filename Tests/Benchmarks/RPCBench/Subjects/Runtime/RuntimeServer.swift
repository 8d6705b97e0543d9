import Foundation
import RPC
import Synchronization

/// The runtime with a trivial handler.
enum RuntimeServer {
    /// - Parameter inTasks: whether the handler of small replies waits, so that each of its calls has a task.
    static func serve(on path: String, executors: LoopExecutors, inTasks: Bool = false) async throws {
        let server = RPCServer(
            identity: ServiceIdentity(name: "bench", version: "1"), methods: methods(inTasks: inTasks),
            executors: executors, onFault: { _ in })
        // Runs until the process is killed.
        try await server.run(on: ListeningSocket(path: SocketPath(path)), until: { await Task.untilCancelled() })
    }

    private static func methods(inTasks: Bool) -> MethodTable {
        let checksums = Checksums()
        let waits = Waits()
        var table = MethodTable(BenchContract.contract)
        if inTasks {
            table.handle(BenchContract.get) { request, _ in
                await Task.yield()
                return BenchContract.Reply(value: text(of: request.bytes))
            }
        } else {
            table.handle(BenchContract.get) { request, _ in BenchContract.Reply(value: text(of: request.bytes)) }
        }
        table.handle(BenchContract.compute) { _, _ in BenchContract.Computed(value: compute()) }
        table.handle(BenchContract.blob) { request, _ in
            let data = Data(repeating: filler, count: request.bytes)
            return BenchContract.Blob(value: Bytes(data, crc32: checksums.checksum(of: data)))
        }
        table.handle(BenchContract.wait) { wait, _ in
            await waits.wait(as: wait.number)
            return Empty()
        }
        table.handle(BenchContract.cancelled) { wait, _ in waits.state(of: wait.number) }
        return table
    }

    /// The same work in each call, about 100 µs.
    private static func compute() -> Int {
        var state: UInt64 = .random(in: 1 ... .max)
        for _ in 0..<50_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        return Int(state & 0xFF)
    }

    private static let filler = UInt8(ascii: "v")

    /// A new text for every call, as in every subject.
    private static func text(of bytes: Int) -> String {
        String(unsafeUninitializedCapacity: bytes) { buffer in
            buffer[..<bytes].initialize(repeating: filler)
            return bytes
        }
    }
}

/// The checksums of replies by size. They are cached, because a service that stores bytes also stores their checksum.
private final class Checksums: Sendable {
    private let bySize = Mutex<[Int: UInt32]>([:])

    func checksum(of data: Data) -> UInt32 {
        bySize.withLock { bySize in
            if let checksum = bySize[data.count] { return checksum }
            let checksum = Bytes(data).crc32
            bySize[data.count] = checksum
            return checksum
        }
    }
}
