import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// The guarded client as services use it: requests to the service's own upstream carry the trace context, each request is
/// profiled when the operator asks for that, and the failures of other servers are logged in full.
///
/// Other servers, such as those of pictures, get no trace context: it would tell them which requests belong together. (The
/// monitor logs the failures of the upstream.)
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
    ///   - client: the caller shuts it down.
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

    /// As `UpstreamClient.get`.
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

    /// Callers get general words, so this line is the only place that names what an address or a host was.
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

    /// Its scheme, host and port; what comes before the path, in a text that is no URL.
    fileprivate var server: String { String(url.prefix(256).split(separator: "/").prefix(2).joined(separator: "//")) }
}

extension UpstreamResponse {
    /// Why a response is a failure for profiling; nil when it is none.
    fileprivate var statusFailure: String? { status >= 400 ? "the answer has status \(status)" : nil }
}
