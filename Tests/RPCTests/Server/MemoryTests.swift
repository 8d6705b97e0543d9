import Foundation
import RPCTestKit
import Testing

@testable import RPC

/// The memory cost of calls and answers, measured in separate processes.
struct MemoryTests {
    private static let megabyte = 1_000_000

    private static var resident: Int { ResidentMemory.bytes() ?? .max }

    /// The peak memory of the process.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1_024
    }

    @Test func `a long stream does not retain its request`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            try await withPeer { peer, _ in
                try await peer.expectAlive()
                let before = Self.resident
                let padding = String(repeating: "x", count: 2 * Self.megabyte)
                for id in 1...40 {
                    let answer = try await peer.exchange(
                        """
                        {"jsonrpc":"2.0","id":\(id),"method":"echo.count","params":{"bytes":9},\
                        "meta":{"stream":true,"window":1},"x":"\(padding)","attachments":[]}
                        """)
                    precondition(answer?.contains("rpc.item") == true)
                }
                precondition(Self.resident < before + 50 * Self.megabyte, "\(Self.resident - before)")
            }
        }
    }

    @Test func `members of a batch that do not fit are dropped at once`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            var limits = Limits()
            limits.frameBytes = Self.megabyte
            try await withPeer(limits: limits, executor: .timed(by: ManualClock())) { peer, _ in
                try await peer.expectAlive()
                let before = Self.resident
                let members = (1...100).map { request("\($0)", "echo.grow", #"{"bytes":700000}"#) }
                let answers = try await peer.answers(to: "[\(members.joined(separator: ","))]")
                precondition(answers.count { $0.error == nil } == 1)
                precondition(answers.count { $0.error?.kind == .tooLarge } == 99)
                let grown = try Self.peak() - before
                precondition(grown < 50 * Self.megabyte, "\(grown)")
            }
        }
    }

    @Test func `after a spike the memory is returned to the system`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            let clock = ManualClock()
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            var table = EchoContract.table
            table.handle(EchoContract.grow) { params, _ in
                answer.yield()
                return .init(text: String(repeating: "x", count: params.bytes))
            }
            try await TestServer.with(table, executor: .timed(by: clock)) { server in
                try await WirePeer.connect(to: server.path).expectAlive()
                let before = Self.resident
                var peers: [WirePeer] = []
                for _ in 1...12 {
                    let peer = try await WirePeer.connect(to: server.path)
                    try await peer.setReading(false)
                    try await peer.send(
                        (1...100).map { .message(grow("\($0)", 60_000)) } + [.message(grow("0", 2_000_000))])
                    peers.append(peer)
                }
                var awaited = answers.makeAsyncIterator()
                for _ in 1...(peers.count * 101) { _ = await awaited.next() }
                let other = try await WirePeer.connect(to: server.path)
                try await other.expectAllRead()
                let queued = try await other.statistics().process.queuedBytes
                precondition(queued > 85_000_000, "\(queued)")
                precondition(Self.resident > before + 80 * Self.megabyte)
                for peer in peers { try await peer.close() }
                peers = []
                try await other.expectAllRead()
                // A second without a spike.
                await clock.advance(by: .seconds(2))
                try await eventually { Self.resident <= before + 40 * Self.megabyte }
            }
        }
    }
}
