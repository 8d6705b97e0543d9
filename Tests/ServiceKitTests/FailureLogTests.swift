import Logging
import RPC
import RPCTestKit
import Testing

@testable import ServiceKit

struct FailureLogTests {
    private static let trace = TraceContext(parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    private static let error = RPCError(.unavailable, "the service is away")

    private let recorded = RecordedLog()
    private let clock = ManualClock()

    private var log: FailureLog { FailureLog(recorded.logger, clock: clock) }

    @Test func `a failure is one line with its trace id`() {
        log.note("feed.load", Self.error, Self.trace)
        #expect(recorded.lines == ["feed.load failed: unavailable: the service is away"])
        #expect(recorded.metadata("trace_id") == ["0af7651916cd43dd8448eb211c80319c"])
    }

    @Test func `a failure without a trace is a line without one`() {
        log.note("feed.load", Self.error, TraceContext())
        #expect(recorded.metadata("trace_id") == [nil])
    }

    @Test func `the first 20 failures of a second have a line each`() async {
        let log = log
        for _ in 0..<FailureLog.linesPerSecond { log.note("feed.load", Self.error, Self.trace) }
        await clock.advance(by: .seconds(1))
        log.summariseIfOver()
        #expect(recorded.lines.count == 20)
    }

    @Test func `further failures are counted, and one line gives their number and kinds`() async {
        let log = log
        for _ in 0..<1_000 { log.note("feed.load", Self.error, Self.trace) }
        for _ in 0..<5 { log.note("feed.load", RPCError(.deadlineExceeded, "slow"), Self.trace) }
        #expect(recorded.lines.count == FailureLog.linesPerSecond)
        await clock.advance(by: .milliseconds(999))
        log.summariseIfOver()
        #expect(recorded.lines.count == FailureLog.linesPerSecond)
        await clock.advance(by: .milliseconds(1))
        log.summariseIfOver()
        log.summariseIfOver()
        #expect(recorded.lines.count == FailureLog.linesPerSecond + 1)
        #expect(
            recorded.lines.last == "985 more calls failed within a second: deadline_exceeded 5, unavailable 980")
    }

    @Test(arguments: [1, FailureLog.tracesPerSummary, FailureLog.tracesPerSummary + 1])
    func `the summary lists the trace ids, each once and up to 100`(count: Int) async {
        let log = log
        for _ in 0..<FailureLog.linesPerSecond { log.note("feed.load", Self.error, Self.trace) }
        let traces = (0..<count).map { _ in TraceContext.random() }
        for trace in traces + traces { log.note("feed.load", Self.error, trace) }
        log.note("feed.load", Self.error, TraceContext())
        await clock.advance(by: .seconds(1))
        log.summariseIfOver()
        let listed = traces.prefix(100).compactMap(\.id)
        #expect(recorded.metadata("trace_ids").last == "\(listed)")
    }

    @Test func `the next second has lines again, after the summary of the previous one`() async {
        let log = log
        for _ in 0...FailureLog.linesPerSecond { log.note("feed.load", Self.error, Self.trace) }
        await clock.advance(by: .seconds(1))
        log.note("feed.get", Self.error, Self.trace)
        #expect(
            recorded.lines.suffix(2) == [
                "1 more calls failed within a second: unavailable 1",
                "feed.get failed: unavailable: the service is away",
            ])
    }

    @Test func `the summary is written without another failure`() async {
        let log = log
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            for _ in 0..<100 { log.note("feed.load", Self.error, Self.trace) }
            await clock.advance(by: .seconds(1), once: 1)
            await recorded.wait { $0.hasPrefix("80 more calls failed") }
            group.cancelAll()
        }
    }

    @Test func `the summary is not lost at the end`() async {
        let log = log
        for _ in 0...FailureLog.linesPerSecond { log.note("feed.load", Self.error, Self.trace) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            group.cancelAll()
        }
        #expect(recorded.lines.last == "1 more calls failed within a second: unavailable 1")
    }

    @Test(
        arguments: [
            ("feed.load", "feed.load"), ("a\nb\u{1b}[0m\u{2028}c", "a b [0m c"),
            (String(repeating: "x", count: 1_000), String(repeating: "x", count: 1_000)),
            (String(repeating: "x", count: 1_001), String(repeating: "x", count: 1_000) + " …"),
        ])
    func `external text stays on one line of bounded length`(text: String, logged: String) {
        #expect(text.asLogged == logged)
    }
}
