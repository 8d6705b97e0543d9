import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import Upstream

@Suite(.timeLimit(.minutes(5))) struct TracedUpstreamTests {
    @Test func `the request's id goes to the upstream and into the log`() async throws {
        let trace = TraceContext.random()
        let log = RecordedLog()
        try await OriginServer.with({ _ in [.response(text: "x")] }) { server in
            try await withClient(.trusting(server)) { client in
                let upstream = TracedUpstream(client, profiler: Profiler([.time], logger: log.logger))
                _ = try await upstream.get(UpstreamRequest(url: server.url + "/a"))
                _ = try await TraceContext.$current.withValue(trace) {
                    try await upstream.get(UpstreamRequest(url: server.url + "/b"))
                }
                #expect(server.history.requests.map { $0["traceparent"] } == [nil, trace.parent])
            }
        }
        #expect(log.metadata("trace_id") == [nil, nil, trace.id, trace.id])
    }

    @Test func `a probe asks for the smallest page below the base`() async throws {
        try await OriginServer.with({ _ in [.response(text: "{}")] }) { server in
            try await withClient(.trusting(server)) { client in
                let upstream = TracedUpstream(client, profiler: Profiler([], logger: RecordedLog().logger))
                try await upstream.probe(UpstreamBase(server.url + "/base/"))
                #expect(server.history.requests.map(\.target) == ["/base/v1/feed?limit=1"])
            }
        }
    }
}
