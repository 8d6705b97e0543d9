import EdgeKit
import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Testing
import Timing
import Upstream

/// `UpstreamEvents` with answers that the test sets.
struct UpstreamEventsTests {
    private struct Broken: Error, CustomStringConvertible { let description = "broken" }

    private typealias Answer = @Sendable (UpstreamRequest) async throws -> UpstreamResponse

    private final class Rig: Sendable {
        let clock = ManualClock()
        let log = RecordedLog()
        let monitor: UpstreamMonitor
        let states = Watched<[UpstreamEvents.State]>([])
        let requests = Watched<[UpstreamRequest]>([])
        private let answers: Watched<[Answer]>

        init(_ answers: [Answer]) throws {
            self.answers = Watched(answers)
            monitor = UpstreamMonitor(try UpstreamBase("http://origin.example"), logger: log.logger, clock: clock)
        }

        /// Waits for a request after a pause.
        func request(_ count: Int) async {
            await clock.waitForTimers(within: .seconds(3))
            await clock.advance(by: .seconds(3))
            await requests.wait { $0.count == count }
        }

        /// Follows the events while `body` runs. After the last answer there is only silence.
        func follow(_ body: (Rig) async throws -> Void) async throws {
            let events = UpstreamEvents(
                "http://origin.example/v1/feed/events", monitor, logger: log.logger,
                get: { request in
                    self.requests.withLock { $0.append(request) }
                    guard let answer = self.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                        await waitForCancellation()
                        throw CancellationError()
                    }
                    return try await answer(request)
                },
                onState: { state in self.states.withLock { $0.append(state) } })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await events.run() }
                try await body(self)
                group.cancelAll()
            }
        }
    }

    /// Sends texts, and then ends as `end` says.
    private static func sending(
        _ texts: String..., end: @escaping @Sendable () async throws -> Void = {}
    ) -> Answer {
        { request in
            for text in texts { request.stream?.receive(ByteBuffer(string: text)) }
            try await end()
            return UpstreamResponse(status: 200, headers: [:], body: Data(), url: request.url)
        }
    }

    private static func event(_ name: String, _ id: String) -> UpstreamEvents.State {
        .event(ServerSentEvents.Event(name: name, data: Data("{}".utf8), id: id))
    }

    @Test func `events are passed on, and resumed after the last one`() async throws {
        let rig = try Rig([
            Self.sending("retry: 2000\nid: 7\n\n:\n\nid: 8\nevent: published\ndata: {}\n\n"),
            Self.sending(
                "retry: 2000\n\nid: 9\nevent: removed\ndata: {}\n\nid: 9\n\nevent: interrupted\ndata: {}\n\n",
                end: { throw Broken() }),
        ])
        try await rig.follow { rig in
            for count in 2...3 { await rig.request(count) }
        }
        let states = rig.states.withLock(\.self).prefix(8)
        #expect(
            states == [
                .restarted, .complete, Self.event("published", "8"), .lost, Self.event("removed", "9"), .complete,
                .lost, .lost,
            ])
        let requests = rig.requests.withLock(\.self)
        #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "8", "9"])
        #expect(requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" && !$0.acceptsCompression })
    }

    @Test(arguments: [404, 405, 500]) func `an upstream without events is asked again later, and is no failure`(
        status: Int
    ) async throws {
        let rig = try Rig([{ UpstreamResponse(status: status, headers: [:], body: Data(), url: $0.url) }])
        try await rig.follow { rig in
            if status == 500 { return await rig.request(2) }
            await rig.clock.waitForTimer(in: .seconds(300))
            await rig.clock.advance(by: .seconds(300))
            await rig.requests.wait { $0.count == 2 }
        }
        #expect(rig.monitor.check.status == .serving)
        #expect(rig.log.lines.count == (status == 500 ? 0 : 1))
    }

    @Test func `after an event that is too long, everything may have changed`() async throws {
        let rig = try Rig([
            Self.sending("id: 7\n\n", "data: " + String(repeating: "x", count: ServerSentEvents.maximumBytes))
        ])
        try await rig.follow { rig in await rig.request(2) }
        #expect(rig.states.withLock(\.self).prefix(4) == [.restarted, .complete, .lost, .lost])
        #expect(rig.states.withLock(\.self).dropFirst(4).first == .restarted)
        #expect(rig.requests.withLock(\.self)[1].headers["Last-Event-ID"] == nil)
    }

    /// The process that sends them may live while the one that answers hangs.
    @Test(arguments: [false, true]) func `bytes are a sign of life, and end no failure`(hasFailed: Bool) async throws {
        let (sent, send) = AsyncStream.makeStream(of: Void.self)
        let rig = try Rig([
            Self.sending(
                ":\n\n",
                end: {
                    send.finish()
                    await waitForCancellation()
                })
        ])
        rig.monitor.answered("the feed")
        rig.clock.jump(by: .seconds(60))
        if hasFailed { rig.monitor.failed("the feed", .absent("refused")) }
        try await rig.follow { _ in for await _ in sent {} }
        #expect(rig.monitor.measures.gauges["upstream_answer_age_seconds"] == (hasFailed ? 60 : 0))
        #expect(rig.monitor.isAbsent == hasFailed)
    }
}
