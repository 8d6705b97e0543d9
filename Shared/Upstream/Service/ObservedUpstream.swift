import RPC
import ServiceKit

/// The guarded client as services use it: the request id goes with every request, the upstream's state is watched over, and
/// requests are profiled when somebody asks for that.
public struct ObservedUpstream: Sendable {
    private let client: UpstreamClient
    private let base: UpstreamBase
    private let monitor: UpstreamMonitor
    private let profiler: Profiler

    /// - Parameter monitor: watches over what goes to the upstream itself; pictures may lie anywhere.
    public init(_ client: UpstreamClient, _ base: UpstreamBase, monitor: UpstreamMonitor, profiler: Profiler) {
        self.client = client
        self.base = base
        self.monitor = monitor
        self.profiler = profiler
    }

    /// As `UpstreamClient.get`.
    public func get(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        var request = request
        let trace = TraceContext.current
        if let parent = trace.parent { request.headers.add("traceparent", parent) }
        if let state = trace.state { request.headers.add("tracestate", state) }
        return try await profiler.loading(request.url, bytes: \.body.count) { () throws(UpstreamError) in
            guard base.isOrigin(of: request.url) else { return try await client.get(request) }
            return try await monitor.watching { () throws(UpstreamError) in try await client.get(request) }
        }
    }
}
