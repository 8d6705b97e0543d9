import Glibc
import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import RPC

/// Distinguishes a peer that reads slowly from one that does not read.
struct WriteProgressTests {
    private static func connect(_ path: SocketPath) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        precondition(path.withAddress { Glibc.connect(descriptor, $0, $1) } == 0)
        return descriptor
    }

    private static func read(_ count: Int, from descriptor: Int32) {
        var (left, buffer) = (count, [UInt8](repeating: 0, count: 4_096))
        while left > 0 {
            let count = recv(descriptor, &buffer, min(left, buffer.count), 0)
            guard count > 0 else { return }
            left -= count
        }
    }

    @Test func `a peer that has read a part of what the kernel holds makes progress, one that reads nothing does not`()
        async throws
    {
        let (seen, clock) = (Watched<NIOLoopBound<ServerConnection>?>(nil), ManualClock())
        var table = EchoContract.table
        table.handle(EchoContract.grow) { params, context in
            seen.withLock { $0 = context.connection }
            return .init(text: String(repeating: "x", count: params.bytes))
        }
        try await TestServer.with(table, executor: .timed(by: clock)) { server in
            let peer = Self.connect(server.path)
            defer { close(peer) }
            let request = WirePeer.frame(grow("1", 4_000_000))
            #expect(send(peer, request, request.count, 0) == request.count)
            await seen.wait { $0 != nil }
            let held = seen.withLock { $0 }
            let connection = try #require(held)
            // The answer is written at the end of the turn in which the handler ran.
            try await WirePeer.connect(to: server.path).expectAllRead()
            /// Since when the write is blocked, if checked at this time.
            func blocked(lookingAt time: NIODeadline) async -> NIODeadline? {
                await connection.look {
                    $0.writer.lookForProgress(now: time)
                    return $0.writer.blockedSince
                }
            }
            let first = clock.now + .hours(1)
            let start = try #require(await blocked(lookingAt: first))
            #expect(await blocked(lookingAt: first + .hours(1)) == start)
            // Far less than the write timeout.
            Self.read(64 * 1_024, from: peer)
            #expect(await blocked(lookingAt: first + .hours(2)) == first + .hours(2))
            #expect(await blocked(lookingAt: first + .hours(3)) == first + .hours(2))
        }
    }
}
