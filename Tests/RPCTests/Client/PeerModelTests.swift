import Dispatch
import JSON
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

/// A peer that is stopped, continued, killed and replaced at random while calls are forwarded to it through a gateway.
///
/// In every case: every call ends; every failure is reported once, with its trace; no successful call is reported; and
/// once the peer is available again, calls succeed.
@Suite(.timeLimit(.minutes(5))) struct PeerModelTests {
    /// The deadline that the gateway sets for a call.
    private static let timeout = TimeAmount.milliseconds(100)

    /// No call may come near its caller's own deadline, 30 s, even on a busy machine.
    private static let longest = TimeAmount.seconds(20)

    private struct Outcome: Sendable {
        let trace: TraceContext
        let error: ErrorKind?
        let duration: TimeAmount
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `calls end, failures are reported once, and the circuit closes again`(seed: UInt64) async throws {
        var limits = Limits()
        limits.probeTime = .milliseconds(50)
        let changes = Changes()
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/back.sock")
            let client = await RPCClient.make(
                to: path, as: "front", limits: limits, peerName: "back", onChange: changes.add)
            var table = MethodTable()
            table.forward = { method, params, context, completion in
                var options = CallOptions(onBehalfOf: context)
                options.timeout = Self.timeout
                return client.forward(method, params, options, completion: completion)
            }
            try await TestServer.with(table, named: "front") { front in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await client.run() }
                    defer { group.cancelAll() }
                    let outcomes = try await RPCClient.withConnection(to: front.path, as: "caller") { caller in
                        try await Self.live(at: path, seed: seed, caller, changes)
                    }
                    #expect(outcomes.allSatisfy { $0.duration < Self.longest })
                    let failed = outcomes.filter { $0.error != nil }
                    #expect(failed.allSatisfy { [.deadlineExceeded, .unavailable].contains($0.error) })
                    #expect(front.failures.compactMap(\.trace.id).sorted() == failed.compactMap(\.trace.id).sorted())
                }
            }
        }
    }

    /// Absent and present alternate; it is present at the end.
    private static func expectConsistent(_ changes: [PeerChange]) {
        var isAbsent = false
        for change in changes {
            switch change {
            case .down, .silent:
                #expect(!isAbsent, "\(changes)")
                isAbsent = true
            case .returned, .appeared: isAbsent = false
            case .restarted: #expect(!isAbsent, "\(changes)")
            case .incompatible, .violated: Issue.record("\(changes)")
            }
        }
        #expect(!isAbsent, "\(changes)")
    }

    /// Several lifetimes of the peer, with calls at any point of them.
    private static func live(
        at path: SocketPath, seed: UInt64, _ caller: RPCClient, _ changes: Changes
    ) async throws -> [Outcome] {
        var random = SeededRandom(seed: seed)
        let calls = Calls(of: caller)
        for _ in 0..<4 {
            let executor = LoopExecutor.separate()
            calls.begin()
            // Drawn beforehand: the events of this lifetime.
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (
                    pause: Duration.milliseconds(Int.random(in: 0...250, using: &random)),
                    stops: Bool.random(using: &random)
                )
            }
            let isKilled = Bool.random(using: &random)
            try await TestServer.with(EchoContract.table, named: "back", at: path, executor: executor) { back in
                for step in steps {
                    calls.begin()
                    if step.stops {
                        try await stopping(executor, for: step.pause, calls)
                    } else {
                        try await Task.sleep(for: step.pause / 10)
                    }
                }
                calls.begin()
                if isKilled { back.kill() } else { back.stop() }
                await back.ended()
            }
            calls.begin()
            // Sometimes long enough to count as down.
            let gap = [0, 20, 600].randomElement(using: &random) ?? 0
            try await Task.sleep(for: .milliseconds(gap))
        }
        return try await TestServer.with(EchoContract.table, named: "back", at: path) { _ in
            var outcomes: [Outcome] = []
            repeat { outcomes.append(await call(caller)) } while outcomes.last?.error != nil
            outcomes += await calls.outcomes()
            expectConsistent(changes.all)
            return outcomes
        }
    }

    /// Makes calls throughout a lifetime of the peer.
    private final class Calls: Sendable {
        private let caller: RPCClient
        private let tasks = Mutex<[Task<Outcome, Never>]>([])

        init(of caller: RPCClient) { self.caller = caller }

        func begin() {
            tasks.withLock { tasks in
                for _ in 0..<4 { tasks.append(Task { [caller] in await PeerModelTests.call(caller) }) }
            }
        }

        func outcomes() async -> [Outcome] {
            var outcomes: [Outcome] = []
            for task in tasks.withLock({ $0 }) { outcomes.append(await task.value) }
            return outcomes
        }
    }

    /// Suspends the peer for a while, as after SIGSTOP.
    private static func stopping(_ executor: LoopExecutor, for pause: Duration, _ calls: Calls) async throws {
        let release = DispatchSemaphore(value: 0)
        executor.loop.execute { release.wait() }
        defer { release.signal() }
        try await Task.sleep(for: pause / 2)
        calls.begin()
        try await Task.sleep(for: pause / 2)
    }

    private static func call(_ caller: RPCClient) async -> Outcome {
        let start = NIODeadline.now()
        let options = CallOptions(trace: .random())
        var kind: ErrorKind?
        do throws(RPCError) {
            _ = try await caller.call(
                EchoContract.echo.name, RawJSON(.init(text: "a"), as: EchoContract.Text.codec), options)
        } catch {
            kind = error.kind
        }
        return Outcome(trace: options.trace, error: kind, duration: .now() - start)
    }
}
