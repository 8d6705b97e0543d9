import FeedContract
import Logging
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The log lines about HTTP requests.
@Suite struct RequestLogTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let traced = ["traceparent: 00-\(trace)-b7ad6b7169203331-01"]

    private static func failing(_ kind: ErrorKind) -> FakeServices {
        var services = FakeServices()
        services.load = { _, _ in throw RPCError(kind, "on purpose") }
        return services
    }

    /// A logger with `--log-level info`.
    private static func atInfo(_ log: RecordedLog) -> Logger {
        var logger = log.logger
        logger.handler = AtInfo(log: log)
        return logger
    }

    private struct AtInfo: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        init(log: RecordedLog) { self.log = log }

        func log(event: LogEvent) { log.log(event: event) }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
    }

    @Test(arguments: [ErrorKind.connectivity, .unavailable, .dataLoss, .deadlineExceeded, .invalidData])
    func `an answer of class 5xx is one line with its trace id`(kind: ErrorKind) async throws {
        let log = RecordedLog()
        try await RunningAPI.with(Self.failing(kind), logger: Self.atInfo(log)) { api in
            let reply = try await api.exchange("/v1/feed?limit=3", Self.traced)
            #expect(reply.status == kind.httpStatus)
            await api.metrics.wait { $0.underWay == 0 }
        }
        #expect(log.lines == ["GET /v1/feed?limit=3 failed: \(kind.rawValue): on purpose"])
        #expect(log.metadata("trace_id") == [Self.trace])
    }

    @Test func `a generated trace id is the same in the answer and in the log`() async throws {
        let log = RecordedLog()
        try await RunningAPI.with(Self.failing(.unavailable), logger: Self.atInfo(log)) { api in
            let reply = try await api.exchange("/v1/feed")
            await api.metrics.wait { $0.underWay == 0 }
            #expect(log.metadata("trace_id") == [try reply.member("trace_id")])
        }
    }

    @Test func `requests without a server error are not logged`() async throws {
        let log = RecordedLog()
        try await RunningAPI.with(logger: Self.atInfo(log)) { api in
            for target in ["/v1/feed", "/nothing", "/v1/feed?limit=0"] { _ = try await api.exchange(target) }
            await api.metrics.wait { $0.underWay == 0 }
        }
        #expect(log.lines.isEmpty)
    }

    @Test func `at the level debug each request is a line with method, outcome, duration and trace`() async throws {
        let log = RecordedLog()
        try await RunningAPI.with(logger: log.logger) { api in
            _ = try await api.exchange("/v1/feed", Self.traced)
            await api.metrics.wait { $0.underWay == 0 }
            _ = try await api.exchange("/nothing", Self.traced)
            await api.metrics.wait { $0.underWay == 0 }
        }
        #expect(log.lines.count == 2)
        #expect(log.lines[0].wholeMatch(of: /GET \/v1\/feed 200 after \d+ us/) != nil)
        #expect(log.lines[1].wholeMatch(of: /GET \/nothing 404 not_found after \d+ us/) != nil)
        #expect(log.metadata("trace_id") == [Self.trace, Self.trace])
    }

    @Test func `a slow request is one line with the time of its calls, and a fast one none`() async throws {
        let (log, clock) = (RecordedLog(), ManualClock())
        var services = FakeServices()
        services.load = { load, _ in
            await clock.advance(by: load.limit == 3 ? .milliseconds(1_500) : .seconds(1))
            return LoadedFeed(items: [], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        try await RunningAPI.with(services, logger: Self.atInfo(log), clock: clock) { api in
            _ = try await api.exchange("/v1/feed?limit=2", Self.traced)
            let reply = try await api.exchange("/v1/feed?limit=3", Self.traced)
            #expect(reply["Server-Timing"] == "feed.load;dur=1500.0, total;dur=1500.0")
            await api.metrics.wait { $0.underWay == 0 }
        }
        #expect(log.lines == ["GET /v1/feed?limit=3 was slow: 1.5 s (feed.load 1.5 s)"])
        #expect(log.metadata("trace_id") == [Self.trace])
    }

    @Test func `Server-Timing is for clients on the server itself`() async throws {
        try await RunningAPI.with { api in
            let local = try await api.exchange("/healthz")
            #expect(local["Server-Timing"] == "total;dur=0.0")
            let remote = try await api.exchange("/healthz", ["Via: 1.1 proxy"])
            #expect(remote["Server-Timing"] == nil)
        }
    }

    @Test func `a failed call whose answer does not need it is one line`() async throws {
        let log = RecordedLog()
        var services = FakeServices()
        services.get = { _, _ in throw RPCError(.unavailable, "on purpose") }
        try await RunningAPI.with(services, logger: Self.atInfo(log)) { api in
            let reply = try await api.exchange(
                "/v1/image/6A2B2B9E-5B4E-4A53-8F5B-0A9B0C0D0E0F/comments", Self.traced)
            #expect(reply.status == 200)
        }
        #expect(log.lines == ["feed.get failed: unavailable: on purpose"])
        #expect(log.metadata("trace_id") == [Self.trace])
    }
}
