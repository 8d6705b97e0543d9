import Foundation
import Logging
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import EdgeKit
@testable import Upstream

struct TracedUpstreamTests {
    private static let trace = TraceContext(parent: TraceContext.random().parent, state: "vendor=secret")

    @Test func `the own upstream receives the trace context, and the log has its id`() async throws {
        let log = RecordedLog()
        try await OriginServer.with({ _ in [.response(text: "x")] }) { server in
            try await withClient(.trusting(server)) { client in
                let upstream = try traced(client, server, [.time], log)
                _ = try await upstream.get(UpstreamRequest(url: server.url + "/a"))
                _ = try await get(server.url + "/b", upstream)
                #expect(server.history.requests.map { $0["traceparent"] } == [nil, Self.trace.parent])
                #expect(server.history.requests.map { $0["tracestate"] } == [nil, "vendor=secret"])
            }
        }
        #expect(log.metadata("trace_id") == [nil, nil, Self.trace.id, Self.trace.id])
    }

    @Test func `other servers, requested or redirected to, receive no trace context`() async throws {
        try await OriginServer.with({ _ in [.response(text: "x")] }) { other in
            let elsewhere = other.url
            try await OriginServer.with({ _ in [.redirect(to: elsewhere)] }) { server in
                try await withClient(.trusting(server, other)) { client in
                    let upstream = try traced(client, server)
                    _ = try await get(other.url, upstream)
                    _ = try await get(server.url, upstream)
                    #expect(server.history.requests.map { $0["tracestate"] } == ["vendor=secret"])
                    #expect(other.history.requests.map { $0["tracestate"] ?? $0["traceparent"] } == [nil, nil])
                }
            }
        }
    }

    @Test func `another server's failure is logged once, with the trace id`() async throws {
        let log = RecordedLog()
        let gone = try await OriginServer.with({ _ in [.response(text: "x")] }) { $0 }
        try await OriginServer.with({ _ in [.response(text: "x")] }) { server in
            try await withClient(.trusting(server), addresses: ["inner.test": [10, 9, 8, 7]]) { client in
                let upstream = try traced(client, server, [], log)
                for url in ["http://inner.test/a", "http://inner.test/b", "http://absent.test/"] {
                    await #expect(throws: UpstreamError.self) { try await get(url, upstream) }
                }
                #expect(log.lines.count == 2, "\(log.lines)")
                #expect(log.lines[0].hasPrefix(#"cannot fetch "http://inner.test/a": inner.test:80 leads to 10.9.8.7"#))
                #expect(log.metadata("trace_id") == [Self.trace.id, Self.trace.id])
            }
            // Failures of the service's own upstream are not logged here, because its monitor logs them.
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint(gone.authority)]
            try await withClient(settings) { client in
                let upstream = try traced(client, gone, [], log)
                await #expect(throws: UpstreamError.self) { try await get(gone.url, upstream) }
                #expect(log.lines.count == 2)
            }
        }
    }

    @Test func `a failure of a server that has answered since the last one is logged again`() async throws {
        let log = RecordedLog()
        try await OriginServer.with(
            { $0.target == "/good" ? [.response(text: "x")] : [.redirect(to: "http://10.9.8.7/")] }
        ) { server in
            try await withClient(.trusting(server)) { client in
                let upstream = TracedUpstream(
                    client, of: nil, profiler: Profiler([], logger: log.logger), logger: log.logger)
                for (path, lines) in [("/bad", 1), ("/bad", 1), ("/good", 1), ("/bad", 2)] {
                    _ = try? await upstream.get(UpstreamRequest(url: server.url + path))
                    #expect(log.lines.count == lines, "\(log.lines)")
                }
            }
        }
    }

    @Test func `the number of lines is limited, however many servers fail`() async throws {
        let log = RecordedLog()
        try await withClient { client in
            let upstream = TracedUpstream(
                client, of: nil, profiler: Profiler([], logger: log.logger), logger: log.logger, now: { .distantPast })
            for number in 0..<2 * FailureFilter.lines {
                await #expect(throws: UpstreamError.self) { try await get("http://n\(number).test/", upstream) }
            }
            #expect(log.lines.count == FailureFilter.lines)
        }
    }

    @Test(arguments: [(200, 0), (304, 0), (399, 0), (400, 1), (404, 1), (500, 1)])
    func `a response with an error status is an error line of the profile`(status: Int, lines: Int) async throws {
        let log = RecordedLog()
        try await OriginServer.with({ _ in [.response(status)] }) { server in
            try await withClient(.trusting(server)) { client in
                let upstream = try traced(client, server, [.errors], log)
                let response = try await upstream.get(UpstreamRequest(url: server.url))
                #expect(response.status == status)
                #expect(log.lines.filter { $0.hasSuffix("the answer has status \(status)") }.count == lines)
                #expect(log.lines.count == lines)
            }
        }
    }

    @Test func `a probe requests the smallest page below the base URL`() async throws {
        try await OriginServer.with({ _ in [.response(text: "{}")] }) { server in
            try await withClient(.trusting(server)) { client in
                try await traced(client, server).probe(UpstreamBase(server.url + "/base/"))
                #expect(server.history.requests.map(\.target) == ["/base/v1/feed?limit=1"])
            }
        }
    }

    private func traced(
        _ client: UpstreamClient, _ server: OriginServer, _ switches: Set<ProfileSwitch> = [],
        _ log: RecordedLog = RecordedLog()
    ) throws -> TracedUpstream {
        TracedUpstream(
            client, of: try UpstreamBase(server.url), profiler: Profiler(switches, logger: log.logger),
            logger: log.logger)
    }

    private func get(_ url: String, _ upstream: TracedUpstream) async throws -> UpstreamResponse {
        try await TraceContext.$current.withValue(Self.trace) { try await upstream.get(UpstreamRequest(url: url)) }
    }
}

extension UpstreamSettings {
    /// Settings that trust the servers of a test.
    fileprivate static func trusting(_ servers: OriginServer...) throws -> UpstreamSettings {
        var settings = UpstreamSettings()
        for server in servers { settings.trusted.insert(try UpstreamEndpoint(server.authority)) }
        return settings
    }
}

/// Runs `body` with a client, and shuts it down.
/// - Parameter addresses: the addresses by name. They replace the system's resolver; other names do not exist.
private func withClient(
    _ settings: UpstreamSettings = UpstreamSettings(), addresses: [String: [UInt8]] = [:],
    _ body: (UpstreamClient) async throws -> Void
) async throws {
    let client = UpstreamClient(settings, clock: ManualClock()) { name in
        guard let bytes = addresses[name] else { return .failure(SystemLookup.Failure(reason: "no such name")) }
        return .success([IPAddress(bytes)].compactMap(\.self))
    }
    let result = await Result(catching: { try await body(client) })
    await client.shutdown()
    try result.get()
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
