import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import Upstream

@Suite struct UpstreamMonitorTests {
    private let log = RecordedLog()
    private let monitor: UpstreamMonitor

    init() throws {
        monitor = UpstreamMonitor(
            try UpstreamBase("http://origin.example"), logger: log.logger,
            now: { Date(timeIntervalSince1970: 7) })
    }

    @Test func `an upstream that answers is passed on in silence`() {
        monitor.answered("a")
        #expect(
            monitor.check == Health.Check(name: "upstream", status: .serving, since: Date(timeIntervalSince1970: 7)))
        #expect(log.lines == [])
    }

    @Test func `a failure that stays is one line, whatever it is each time, and its end another`() {
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

    @Test func `it is absent from no answer to the next, and a bad answer is one`() {
        #expect(!monitor.isAbsent)
        monitor.failed("a", .rejected("no JSON"))
        #expect(!monitor.isAbsent)
        monitor.failed("b", .absent("refused"))
        #expect(monitor.isAbsent)
        monitor.answered("b")
        #expect(!monitor.isAbsent)
    }

    @Test func `what always fails among what does not is one line, and its end another`() {
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

    @Test func `every way to be wrong is a line, up to so many`() {
        for number in 0..<2 * FailureFilter.lines { monitor.failed("a", .rejected("reason \(number)")) }
        #expect(log.lines.count == FailureFilter.lines)
        #expect(log.lines.allSatisfy { $0.contains("reason") })
    }

    @Test(arguments: [
        (UpstreamError.unreachable(host: "a", reason: "b") as any Error, true),
        (UpstreamError.timedOut(.firstByte, limit: .seconds(1)), true),
        (UpstreamError.interrupted(partial: nil, reason: "a"), true), (UpstreamError.tls(host: "a", reason: "b"), true),
        (FetchBudget.Spent(time: .seconds(1)), true), (UpstreamError.tooLarge(.body, limit: 1), false),
        (UpstreamError.tooManyRedirects(limit: 5), false), (UpstreamError.malformed("a"), false),
        (UpstreamError.refused(.downgrade(to: "http://a")), false),
    ]) func `an answer that did arrive is no absence`(error: any Error, isAbsent: Bool) {
        monitor.failed("a", error)
        #expect(monitor.isAbsent == isAbsent)
        #expect(monitor.check.status == .degraded)
    }

    @Test(arguments: [
        UpstreamError.cancelled as any Error, UpstreamError.overloaded("a"), UpstreamError.shutDown,
        CancellationError(), FetchBudget.Spent(time: .milliseconds(999)),
    ]) func `an error of ours or of the caller says nothing about the upstream`(error: any Error) {
        monitor.failed("a", error)
        #expect(!monitor.isAbsent && monitor.check.status == .serving && log.lines == [])
    }

    /// Asked only while it does not answer; the first sign of life ends that.
    @Test func `an upstream that is gone is asked now and then whether it is back`() async {
        let probes = Probes()
        monitor.failed("a", .absent("refused"))
        let probing = Task { [monitor] in await monitor.run(pausing: .milliseconds(1)) { try probes.probe() } }
        while monitor.check.status == .degraded { await Task.yield() }
        // It is not asked any more, not even about an answer that is wrong.
        monitor.failed("a", .rejected("no JSON"))
        probing.cancel()
        await probing.value
        #expect(probes.count == 3)
        #expect(monitor.check.status == .degraded)
    }

    @Test(arguments: [
        UpstreamError.tooLarge(.body, limit: 1), .tooManyRedirects(limit: 5), .malformed("a"),
        .refused(.downgrade(to: "http://a")),
    ]) func `an answer to a probe that cannot be used ends the absence too`(error: UpstreamError) async {
        monitor.failed("a", .absent("refused"))
        let probing = Task { [monitor] in await monitor.run(pausing: .milliseconds(1)) { throw error } }
        while monitor.isAbsent { await Task.yield() }
        probing.cancel()
        await probing.value
        #expect(monitor.check.status == .serving)
    }

    /// Fails twice.
    private final class Probes: Sendable {
        private let made = Mutex(0)

        var count: Int { made.withLock { $0 } }

        func probe() throws {
            let number = made.withLock { made in
                made += 1
                return made
            }
            if number < 3 { throw CancellationError() }
        }
    }

    @Test func `lines have the request's id`() {
        let trace = TraceContext.random()
        TraceContext.$current.withValue(trace) { monitor.failed("a", .absent("refused")) }
        #expect(log.metadata("trace_id") == [trace.id])
    }
}
