import Foundation
import RPCTestKit
import Testing

@testable import RPC

/// The memory cost of calls and answers, measured in separate processes.
@Suite(.timeLimit(.minutes(5))) struct MemoryTests {
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
            limits.defaultTimeout = .minutes(4)
            try await withPeer(limits: limits) { peer, _ in
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
            try await TestServer.with(EchoContract.table) { server in
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
                let other = try await WirePeer.connect(to: server.path)
                while try await other.statistics().process.queuedBytes < 85_000_000 {}
                precondition(Self.resident > before + 80 * Self.megabyte)
                for peer in peers { try await peer.close() }
                peers = []
                while Self.resident > before + 40 * Self.megabyte { await Task.yield() }
            }
        }
    }
}
