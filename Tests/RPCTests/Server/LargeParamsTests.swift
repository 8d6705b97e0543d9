import RPCTestKit
import Testing

@testable import RPC

/// The memory that a call holds for its request: protocol §6, `assembled_bytes`.
struct LargeParamsTests {
    private static let large = 65_537

    /// The parameters of a call that waits at the gate: this letter, repeated.
    private static func name(_ letter: Character, _ bytes: Int) -> String {
        String(repeating: letter, count: bytes - #"{"text":""}"#.utf8.count)
    }

    private static func limits(_ bytes: Int) -> Limits {
        var limits = Limits()
        limits.assembledBytes = bytes
        return limits
    }

    private static func expectOverloaded(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.error?.kind == .overloaded, sourceLocation: sourceLocation)
        #expect(answer.error?.begun == false, sourceLocation: sourceLocation)
        #expect((answer.error?.retryAfter ?? 0) > 0, sourceLocation: sourceLocation)
    }

    @Test func `parameters of 4 KiB cost nothing, one byte more is counted`() async throws {
        let gate = Gate()
        let most = Limits.uncountedBytes
        try await withPeer(gate: gate, limits: Self.limits(most)) { peer, _ in
            for id in 1...2 {
                try await peer.send(waiting("\(id)", Self.name("s", most)))
                #expect(await gate.arrival()?.first == "s")
            }
            Self.expectOverloaded(try await peer.answer(to: waiting("3", Self.name("l", most + 1))))
            try await peer.expectAlive()
        }
    }

    @Test func `large calls are limited by the budget, and a call that ends frees its share`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate, limits: Self.limits(2 * Self.large)) { peer, server in
            let (a, b) = (Self.name("a", Self.large), Self.name("b", Self.large))
            try await peer.send(waiting("1", a))
            try await peer.send(waiting("2", b))
            for _ in 1...2 { _ = await gate.arrival() }
            Self.expectOverloaded(try await peer.answer(to: waiting("3", a)))
            // Each connection has its own budget.
            let other = try await WirePeer.connect(to: server.path)
            try await other.send(waiting("1", b))
            #expect(await gate.arrival() == b)
            gate.open(a)
            #expect(try await peer.answer().id == "1")
            try await peer.send(waiting("3", b))
            #expect(await gate.arrival() == b)
        }
    }

    enum Ending: CaseIterable {
        case answered, cancelled, closed, cancelledBeforeItsBytes, givenUpBeforeItsBytes, closedBeforeItsBytes

        var isBeforeItsBytes: Bool {
            switch self {
            case .answered, .cancelled, .closed: false
            case .cancelledBeforeItsBytes, .givenUpBeforeItsBytes, .closedBeforeItsBytes: true
            }
        }
    }

    @Test(arguments: Ending.allCases) func `a call that ends frees its memory`(ending: Ending) async throws {
        let gate = Gate()
        // A loop of its own, so that other tests do not affect its budget.
        let executor = LoopExecutor.separate()
        try await withPeer(of: ["bytes"], gate: gate, executor: executor) { peer, server in
            let name = Self.name("a", Self.large)
            let call = waiting("1", name)
            if ending.isBeforeItsBytes {
                try await peer.send(call.dropLast() + #","attachments":[1]}"#)
                try await peer.send(WireFrame(.chunk, 1, [1, 2, 3]))
                try await peer.expectAlive()
                #expect(await executor.assembledBytes() == Self.large + 3)
            } else {
                try await peer.send(call)
                #expect(await gate.arrival() == name)
                #expect(await executor.assembledBytes() == Self.large)
            }
            switch ending {
            case .answered:
                gate.open(name)
                _ = try await peer.answer()
            case .cancelled:
                try await peer.send(cancel("1"))
                #expect(await gate.cancellation() == name)
            case .cancelledBeforeItsBytes:
                try await peer.send(cancel("1"))
                _ = try await peer.frames(2)
            case .givenUpBeforeItsBytes:
                try await peer.send(.aborted(1, "cancelled"))
                _ = try await peer.answer()
            case .closed, .closedBeforeItsBytes:
                try await peer.close()
                try await WirePeer.connect(to: server.path).expectAllRead()
            }
            #expect(await executor.assembledBytes() == 0)
        }
    }
}
