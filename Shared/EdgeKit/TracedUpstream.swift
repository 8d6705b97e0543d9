import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization
import Upstream

/// The guarded client as services use it. Requests to the service's own upstream carry the trace context. Each request is
/// profiled if the operator asks for it. Failures of other servers are logged in full; those of the upstream are logged by
/// its monitor.
///
/// Other servers, such as image hosts, receive no trace context, because it would show them which requests belong together.
public struct TracedUpstream: Sendable {
    private let client: UpstreamClient
    private let base: UpstreamBase?
    private let profiler: Profiler
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let failures = Failures()

    private final class Failures: Sendable {
        let log = Mutex(FailureFilter())
    }

    /// - Parameters:
    ///   - client: the client, which the caller shuts down.
    ///   - base: the service's own upstream; nil when it has none.
    ///   - now: the clock.
    public init(
        _ client: UpstreamClient, of base: UpstreamBase?, profiler: Profiler, logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.client = client
        self.base = base
        self.profiler = profiler
        self.logger = logger
        self.now = now
    }

    /// Fetches a URL. See `UpstreamClient.get`.
    public func get(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        let isOwn = base?.isOrigin(of: request.url) == true
        let traced = isOwn ? request.traced(by: .current) : request
        do throws(UpstreamError) {
            let response = try await profiler.loading(
                request.url, bytes: \.body.count, failure: \.statusFailure
            ) { () throws(UpstreamError) in
                try await client.get(traced)
            }
            if !isOwn { failures.log.withLock { $0.answered(request.server) } }
            return response
        } catch {
            if !isOwn { note(error, of: request) }
            throw error
        }
    }

    /// Logs an error in full. Callers receive a general error, so only this line names the host and the address.
    private func note(_ error: UpstreamError, of request: UpstreamRequest) {
        switch error {
        case .cancelled, .shutDown, .overloaded: return
        default: break
        }
        let isNew = failures.log.withLock { $0.shouldLog("\(error)", of: request.server, at: now()) }
        guard isNew else { return }
        logger.warning(
            "cannot fetch \(request.url.prefix(UpstreamLimits.defaultURLBytes).debugDescription): \(error)",
            metadata: TraceContext.current.metadata)
    }
}

extension UpstreamRequest {
    fileprivate func traced(by trace: TraceContext) -> UpstreamRequest {
        var request = self
        if let parent = trace.parent { request.headers.add("traceparent", parent) }
        if let state = trace.state { request.headers.add("tracestate", state) }
        return request
    }

    /// The scheme, host and port; for an invalid URL, the text before the path.
    fileprivate var server: String {
        String(url.prefix(UpstreamLimits.defaultURLBytes).split(separator: "/").prefix(2).joined(separator: "//"))
    }
}

extension UpstreamResponse {
    /// Why a response counts as a failure for profiling; nil for success.
    fileprivate var statusFailure: String? { status >= 400 ? "the answer has status \(status)" : nil }
}
