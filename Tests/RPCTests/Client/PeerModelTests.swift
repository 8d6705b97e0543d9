import Dispatch
import JSON
import NIOCore
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

/// A peer that is stopped, continued, killed and replaced at random while calls are forwarded to it through a gateway.
///
/// In every case: every call ends; every failure is reported once, with its trace; no successful call is reported; and
/// once the peer is available again, calls succeed.
struct PeerModelTests {
    /// The deadline that the gateway sets for a call.
    private static let timeout = TimeAmount.milliseconds(100)

    private struct Outcome: Sendable {
        let trace: TraceContext
        let error: ErrorKind?
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `calls end, failures are reported once, and the circuit closes again`(seed: UInt64) async throws {
        // The time of the gateway's client. It passes as drawn, and whenever that client pauses between connections at the end.
        let (changes, clock) = (Changes(), ManualClock())
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/back.sock")
            let client = await RPCClient.make(
                to: path, as: "front", executor: .timed(by: clock), peerName: "back", onChange: changes.add)
            var table = MethodTable()
            table.forward = { method, params, context, completion in
                client.forward(
                    method, params, CallOptions(timeout: Self.timeout, trace: context.trace), completion: completion)
            }
            try await TestServer.with(table, named: "front") { front in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await client.run() }
                    defer { group.cancelAll() }
                    let outcomes = try await RPCClient.withConnection(to: front.path, as: "caller") { caller in
                        try await Self.live(at: path, seed: seed, caller, changes, clock)
                    }
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
        at path: SocketPath, seed: UInt64, _ caller: RPCClient, _ changes: Changes, _ clock: ManualClock
    ) async throws -> [Outcome] {
        var random = SeededRandom(seed: seed)
        let calls = Calls(of: caller)
        for _ in 0..<4 {
            let executor = LoopExecutor.separate()
            try await calls.begin()
            // Drawn beforehand: the events of this lifetime. A probe may time out while the peer is stopped.
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (
                    pause: TimeAmount.milliseconds(Int64.random(in: 0...2_500, using: &random)),
                    stops: Bool.random(using: &random)
                )
            }
            let isKilled = Bool.random(using: &random)
            try await TestServer.with(EchoContract.table, named: "back", at: path, executor: executor) { back in
                for step in steps {
                    try await calls.begin()
                    if step.stops {
                        try await stopping(executor, for: step.pause, calls, clock)
                    } else {
                        await clock.advance(by: .nanoseconds(step.pause.nanoseconds / 100))
                    }
                }
                try await calls.begin()
                if isKilled { back.kill() } else { back.stop() }
                await back.ended()
            }
            try await calls.begin()
            // Sometimes long enough to count as down.
            await clock.advance(by: .milliseconds([0, 20, 600, 4_000].randomElement(using: &random) ?? 0))
        }
        return try await TestServer.with(EchoContract.table, named: "back", at: path) { _ in
            async let _: Void = passPauses(clock)
            var outcomes: [Outcome] = []
            repeat {
                outcomes.append(await call(caller))
                // Connections that end soon after they began have opened the circuit; the last one lasts.
                await clock.advance(by: Circuit.shortestLife)
            } while outcomes.last?.error != nil
            outcomes += await calls.outcomes()
            expectConsistent(changes.all)
            return outcomes
        }
    }

    /// Lets every pause of the client pass, until the task is cancelled.
    private static func passPauses(_ clock: ManualClock) async {
        while !Task.isCancelled { await clock.advance(by: await clock.timeToNextWake()) }
    }

    /// Makes calls throughout a lifetime of the peer.
    private final class Calls: Sendable {
        private let caller: RPCClient
        private let tasks = Mutex<[Task<Outcome, Never>]>([])

        init(of caller: RPCClient) { self.caller = caller }

        /// Makes calls, and returns once they have reached the gateway.
        func begin() async throws {
            for _ in 0..<4 {
                // Begins on the event loop, so that the calls are sent before the ping.
                let task = Task(executorPreference: LoopExecutor.shared) { [caller] in
                    await PeerModelTests.call(caller)
                }
                tasks.withLock { $0.append(task) }
            }
            _ = try await caller.call(ProtocolMethods.ping, Empty())
        }

        func outcomes() async -> [Outcome] {
            var outcomes: [Outcome] = []
            for task in tasks.withLock({ $0 }) { outcomes.append(await task.value) }
            return outcomes
        }
    }

    /// Suspends the peer for a while, as after SIGSTOP.
    private static func stopping(
        _ executor: LoopExecutor, for pause: TimeAmount, _ calls: Calls, _ clock: ManualClock
    ) async throws {
        let release = DispatchSemaphore(value: 0)
        executor.loop.execute { release.wait() }
        defer { release.signal() }
        let half = TimeAmount.nanoseconds(pause.nanoseconds / 2)
        await clock.advance(by: half)
        try await calls.begin()
        await clock.advance(by: half)
    }

    private static func call(_ caller: RPCClient) async -> Outcome {
        let options = CallOptions(trace: .random())
        var kind: ErrorKind?
        do throws(RPCError) {
            _ = try await caller.call(
                EchoContract.echo.name, RawJSON(.init(text: "a"), as: EchoContract.Text.codec), options)
        } catch {
            kind = error.kind
        }
        return Outcome(trace: options.trace, error: kind)
    }
}
