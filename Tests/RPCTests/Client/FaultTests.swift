import RPCTestKit
import Testing

@testable import RPC

/// Whatever faults occur between client and server, each call ends with the right answer or with an error that says
/// what happened, and both sides survive.
struct FaultTests {
    /// One call or stream; returns whether its outcome is right.
    private typealias Work = @Sendable (RPCClient) async throws -> Bool

    private static let options = CallOptions(timeout: .minutes(3))

    /// All are idempotent except the streams, which are never repeated.
    private static func calls(_ round: Int) -> [Work] {
        [
            { try await $0.call(EchoContract.echo, .init(text: "\(round)"), options).text == "\(round)" },
            { try await $0.call(EchoContract.bytes, .of(round), options) == .of(round) },
            { try await $0.call(EchoContract.blob, .init(bytes: 70_000 + round), options) == .of(70_000 + round) },
            {
                try await $0.call(EchoContract.grow, .init(bytes: 66_000 + round), options).text.utf8.count == 66_000
                    + round
            },
            {
                let text = String(repeating: "\(round % 10)", count: 70_000)
                return try await $0.call(EchoContract.echo, .init(text: text), options).text == text
            },
        ]
    }

    private static func streams(_ round: Int) -> [Work] {
        [
            { client in
                try await client.withStream(EchoContract.count, .init(bytes: 20 + round), options) { items in
                    try await items.reduce(into: []) { $0.append($1.text) }
                } == (0..<20 + round).map(String.init)
            },
            { client in
                try await client.withStream(EchoContract.blobs, .init(bytes: 66_000 + round), options) { items in
                    try await items.reduce(into: []) { $0.append($1) }
                } == (0..<5).map { .of(66_000 + round + $0) }
            },
            // Abandoned in the middle.
            { client in
                try await client.withStream(EchoContract.count, .init(bytes: 1_000_000), options) { items in
                    var items = items
                    for number in 0..<3 where try await items.next()?.text != "\(number)" { return false }
                    return true
                }
            },
            // Cancelled at any point.
            { client in
                let call = Task { try await client.call(EchoContract.blob, .init(bytes: 300_000 + round), options) }
                _ = try await client.call(EchoContract.echo, .init(text: "meanwhile"), options)
                call.cancel()
                do {
                    return try await call.value == .of(300_000 + round)
                } catch let error as RPCError where error.kind == .cancelled {
                    return true
                }
            },
        ]
    }

    private enum Outcome {
        case right, wrong
        case failed(RPCError)
    }

    /// Does the work, with a bounded number of calls at a time.
    private static func run(_ work: [Work], atATime: Int, _ client: RPCClient) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var outcomes: [Outcome] = []
            for (index, work) in work.enumerated() {
                if index >= atATime, let outcome = try await group.next() { outcomes.append(outcome) }
                group.addTask {
                    do {
                        return try await work(client) ? .right : .wrong
                    } catch let error as RPCError {
                        return .failed(error)
                    }
                }
            }
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    private func withProxy(
        _ fault: Fault, seed: UInt64, faultyConnections: Int = .max, features: Features = .standard,
        _ body: (RPCClient, FaultProxy) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table) { server in
            try await FaultProxy.with(fault, seed: seed, faultyConnections: faultyConnections, to: server.path) {
                proxy in
                try await RPCClient.withConnection(to: proxy.path, as: "test", features: features) { client in
                    try await body(client, proxy)
                }
            }
            // The server must be unharmed after any fault.
            try await RPCClient.withConnection(to: server.path, as: "test") { try await $0.expectEcho() }
        }
    }

    @Test(arguments: Fault.allCases.filter(\.isHarmless), [1, 2] as [UInt64])
    func `if all bytes arrive eventually, every call succeeds`(fault: Fault, seed: UInt64) async throws {
        try await withProxy(fault, seed: seed) { client, proxy in
            let work = (0..<3).flatMap { Self.calls($0) + Self.streams($0) }
            let outcomes = try await Self.run(work, atATime: work.count, client)
            for outcome in outcomes {
                guard case .right = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            }
            #expect(proxy.connections == 1)
        }
    }

    @Test(arguments: [Features.bytes, [.bytes, .parts], [.parts, .zlib], []])
    func `the same with any negotiated features`(features: Features) async throws {
        try await withProxy(.pieces, seed: 3, features: features) { client, _ in
            let work = Self.calls(0) + Self.streams(0)
            for outcome in try await Self.run(work, atATime: work.count, client) {
                guard case .right = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            }
        }
    }

    @Test(arguments: [Fault.drops, .truncations], Array(1...5) as [UInt64])
    func `when connections are lost, most idempotent calls succeed, and others say what happened`(
        fault: Fault, seed: UInt64
    ) async throws {
        // All faulty connections are short, and one more of them would open the circuit.
        try await withProxy(fault, seed: seed, faultyConnections: Circuit.shortConnections - 1) { client, proxy in
            let calls = try await Self.run((0..<8).flatMap(Self.calls), atATime: 4, client)
            let streams = try await Self.run((0..<2).flatMap(Self.streams), atATime: 2, client)
            #expect(proxy.connections > 1)
            for case .failed(let error) in calls + streams {
                // When its input ends inside a frame, a server answers with an error before it closes; the client sees
                // a peer that could not read the request.
                #expect(error.kind == .unavailable || fault == .truncations && error.kind == .invalidData, "\(error)")
            }
            #expect(!(calls + streams).contains { if case .wrong = $0 { true } else { false } })
            // Two connections are lost, each with at most four of the 40 calls under way.
            #expect(calls.count { if case .right = $0 { true } else { false } } >= 28)
            proxy.heal()
            try await client.expectEcho()
        }
    }
}
