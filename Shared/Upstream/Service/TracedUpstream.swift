import RPC
import ServiceKit

/// The guarded client as services use it: the request id goes with every request, and requests are profiled when somebody
/// asks for that.
public struct TracedUpstream: Sendable {
    private let client: UpstreamClient
    private let profiler: Profiler

    /// - Parameter client: is shut down by who has made it.
    public init(_ client: UpstreamClient, profiler: Profiler) {
        self.client = client
        self.profiler = profiler
    }

    /// As `UpstreamClient.get`.
    public func get(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        var request = request
        let trace = TraceContext.current
        if let parent = trace.parent { request.headers.add("traceparent", parent) }
        if let state = trace.state { request.headers.add("tracestate", state) }
        return try await profiler.loading(request.url, bytes: \.body.count) { () throws(UpstreamError) in
            try await client.get(request)
        }
    }
}
