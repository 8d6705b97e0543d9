import Foundation
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import EdgeKit
@testable import Upstream

@Suite struct UpstreamMonitorTests {
    private let log = RecordedLog()
    private let clock = ManualClock()
    private let wallClock = TestClock()
    private let monitor: UpstreamMonitor

    init() throws {
        monitor = UpstreamMonitor(
            try UpstreamBase("http://origin.example"), logger: log.logger, clock: clock, now: wallClock.read)
    }

    @Test func `an answering upstream is not logged`() {
        monitor.answered("a")
        #expect(monitor.check == Health.Check(name: "upstream", status: .serving, since: moment(0)))
        #expect(log.lines == [])
    }

    @Test func `the age of the last good answer counts from that answer, also while others fail`() async {
        #expect(monitor.measures.gauges["upstream_answer_age_seconds"] == nil)
        monitor.answered("a")
        await clock.advance(by: .seconds(90))
        monitor.failed("b", .absent("refused"))
        #expect(monitor.measures.gauges["upstream_answer_age_seconds"] == 90)
        monitor.answered("a")
        #expect(monitor.measures.gauges["upstream_answer_age_seconds"] == 0)
    }

    @Test func `the time without service counts from the first failure, and not while nobody asks`() {
        func time() -> Int? { monitor.measures.gauges["upstream_failing_seconds"] }
        wallClock.advance(1_000)
        #expect(time() == 0)
        monitor.failed("a", .absent("refused"))
        wallClock.advance(60)
        monitor.failed("a", .absent("refused"))
        wallClock.advance(30)
        #expect(time() == 90)
        wallClock.advance(-100)
        #expect(time() == 0)
        monitor.answered("a")
        #expect(time() == 0)
    }

    @Test func `a failure is logged once, even with changing reasons, and its end is logged once`() {
        monitor.failed("a", .absent("refused"))
        monitor.failed("b", .absent("too late"))
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("http://origin.example") == true)
        #expect(log.lines.first?.contains("refused") == true)
        #expect(monitor.check.status == .degraded)
        monitor.answered("a")
        monitor.answered("a")
        #expect(log.lines.count == 2)
        #expect(monitor.check.status == .serving)
    }

    @Test func `the upstream is absent until its next answer, even a rejected one`() {
        #expect(!monitor.isAbsent)
        monitor.failed("a", .rejected("no JSON"))
        #expect(!monitor.isAbsent)
        monitor.failed("b", .absent("refused"))
        #expect(monitor.isAbsent)
        monitor.answered("b")
        #expect(!monitor.isAbsent)
    }

    @Test func `one subject that always fails is logged once, and its end is logged once`() {
        for _ in 0..<3 {
            monitor.failed("a", .rejected("no JSON"))
            monitor.answered("b")
        }
        #expect(log.lines.count == 1)
        #expect(monitor.check.status == .degraded)
        monitor.answered("a")
        #expect(log.lines.count == 2)
        #expect(monitor.check.status == .serving)
        monitor.failed("a", .rejected("no JSON"))
        #expect(log.lines.count == 3)
    }

    @Test(arguments: [(299.0, false), (300, true), (301, true), (-300, true)])
    func `an unusable answer counts for five minutes`(seconds: TimeInterval, isOver: Bool) {
        monitor.failed("a", .rejected("no JSON"))
        wallClock.advance(seconds)
        #expect(
            monitor.check
                == (isOver
                    ? Health.Check(name: "upstream", status: .serving, since: moment(seconds))
                    : Health.Check(name: "upstream", status: .degraded, detail: "no JSON", since: moment(0))))
        #expect(log.lines.count == (isOver ? 2 : 1))
    }

    @Test func `an absence lasts until the next answer`() {
        for subject in ["a", "b", "c"] { monitor.failed(subject, .absent("refused")) }
        wallClock.advance(1_000_000)
        #expect(
            monitor.check
                == Health.Check(name: "upstream", status: .degraded, detail: "refused (3 times)", since: moment(0)))
        #expect(monitor.isAbsent && log.lines.count == 1)
        monitor.answered("d")
        #expect(!monitor.isAbsent && log.lines.count == 2)
        #expect(monitor.check == Health.Check(name: "upstream", status: .serving, since: moment(1_000_000)))
    }

    @Test func `a change between unusable and missing answers is logged`() {
        monitor.failed("a", .rejected("no JSON"))
        monitor.failed("a", .absent("refused"))
        monitor.failed("b", .rejected("no HTTP"))
        #expect(log.lines.count == 3)
        #expect(["no JSON", "refused", "no HTTP"].allSatisfy { reason in log.lines.contains { $0.contains(reason) } })
        // "a" has failed by itself.
        monitor.answered("b")
        #expect(log.lines.count == 3 && monitor.check.status == .degraded && !monitor.isAbsent)
        monitor.answered("a")
        #expect(log.lines.count == 4 && monitor.check.status == .serving)
    }

    @Test func `a subject that never gets an answer, while others do, is soon known to fail by itself`() {
        for _ in 0..<10 {
            monitor.failed("a", .absent("too late"))
            #expect(monitor.isAbsent)
            monitor.answered("b")
            #expect(!monitor.isAbsent)
        }
        // The first time it looked like an absence of the upstream, which was over.
        #expect(log.lines.count == 3 && log.lines[1].contains("answers again"))
        #expect(monitor.check.status == .degraded)
        wallClock.advance(UpstreamMonitor.memory)
        #expect(monitor.check.status == .serving)
        #expect(log.lines.count == 4 && log.lines[3].contains("has not failed for 5 minutes"))
    }

    @Test func `a subject that fails once does not hide another that always fails`() {
        monitor.failed("a", .rejected("no JSON"))
        monitor.failed("b", .rejected("no HTTP"))
        monitor.answered("b")
        #expect(monitor.check.status == .degraded && log.lines.count == 1)
        monitor.answered("a")
        #expect(monitor.check.status == .serving && log.lines.count == 2)
    }

    @Test func `the number of lines is limited, however often the state changes`() {
        for number in 0..<10 * FailureFilter.lines {
            monitor.failed("\(number)", .absent("too late"))
            monitor.answered("b")
        }
        // Each logged failure is followed by its end.
        #expect(log.lines.count == 2 * FailureFilter.lines)
        #expect(log.lines.last?.contains("answers again") == true)
        wallClock.advance(FailureFilter.window)
        monitor.failed("a", .absent("too late"))
        #expect(log.lines.count == 2 * FailureFilter.lines + 1)
    }

    @Test func `while the upstream is absent, requests have less time`() {
        #expect(monitor.time(of: .seconds(30)) == FetchBudget.most)
        monitor.failed("a", .absent("refused"))
        #expect(monitor.time(of: .seconds(30)) == FetchBudget.mostWhileAbsent)
    }

    @Test(arguments: [
        (UpstreamError.unreachable(host: "a", reason: "b") as any Error, true),
        (UpstreamError.timedOut(.firstByte, limit: .seconds(1)), true),
        (UpstreamError.interrupted(partial: nil, reason: "a"), true), (UpstreamError.tls(host: "a", reason: "b"), true),
        (FetchBudget.Spent(time: .seconds(1)), true), (UpstreamError.tooLarge(.body, limit: 1), false),
        (UpstreamError.tooManyRedirects(limit: 5), false), (UpstreamError.malformed("a"), false),
        (UpstreamError.refused(.downgrade(to: "http://a")), false),
    ]) func `an unusable answer is not an absence`(error: any Error, isAbsent: Bool) {
        monitor.failed("a", error)
        #expect(monitor.isAbsent == isAbsent)
        #expect(monitor.check.status == .degraded)
    }

    @Test(arguments: [
        UpstreamError.cancelled as any Error, UpstreamError.overloaded("a"), UpstreamError.shutDown,
        CancellationError(), FetchBudget.Spent(time: .milliseconds(999)),
    ]) func `an error of this service or of the caller does not change the upstream's state`(error: any Error) {
        monitor.failed("a", error)
        #expect(!monitor.isAbsent && monitor.check.status == .serving && log.lines == [])
    }

    /// Probes are sent only while the upstream is absent, until its first answer.
    @Test func `an absent upstream is probed periodically`() async {
        let probes = Mutex<[NIODeadline]>([])
        let start = clock.now
        await probing {
            let count = probes.withLock { probes in
                probes.append(clock.now)
                return probes.count
            }
            if count < 3 { throw CancellationError() }
        } during: {
            await pause()
            monitor.failed("a", .absent("refused"))
            for _ in 1...3 { await pause() }
            #expect(monitor.check.status == .serving)
            // No more probes are sent, even after an unusable answer.
            monitor.failed("a", .rejected("no JSON"))
            for _ in 1...3 { await pause() }
        }
        #expect(probes.withLock(\.self) == (2...4).map { start + Self.pauseTime * $0 })
        #expect(monitor.check.status == .degraded)
    }

    @Test(arguments: [
        UpstreamError.tooLarge(.body, limit: 1), .tooManyRedirects(limit: 5), .malformed("a"),
        .refused(.downgrade(to: "http://a")),
    ]) func `an unusable answer to a probe also ends the absence`(error: UpstreamError) async {
        monitor.failed("a", .absent("refused"))
        await probing {
            throw error
        } during: {
            await pause()
            #expect(!monitor.isAbsent)
        }
        #expect(monitor.check.status == .serving)
    }

    private static let pauseTime = TimeAmount(UpstreamMonitor.probePause)

    /// Lets a pause of the monitor pass, and waits for the next.
    private func pause() async {
        await clock.advance(by: Self.pauseTime, once: 1)
        await clock.waitForTimers(within: Self.pauseTime)
    }

    private func probing(_ probe: @escaping @Sendable () async throws -> Void, during body: () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await monitor.run(probe: probe) }
            await body()
            group.cancelAll()
        }
    }

    @Test func `lines have the trace id of the request`() {
        let trace = TraceContext.random()
        TraceContext.$current.withValue(trace) { monitor.failed("a", .absent("refused")) }
        #expect(log.metadata("trace_id") == [trace.id])
    }
}
