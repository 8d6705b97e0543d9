import HTTPTypes
import JSON
import NIOCore
import RPC

/// The HTTP API. Its format is that of an upstream, so one deployment can be the upstream of another.
struct API: Sendable {
    let gateway: Gateway

    /// The beginning of the links in answers.
    private(set) var publicURL: PublicURL

    /// Whether the links begin with the host that each client has asked, because the listener has no address of its own.
    private let followsHost: Bool
    let limits: HTTPLimits

    /// The listener's budget.
    let budget: AnswerBudget

    /// What the listener counts.
    let metrics: HTTPMetrics

    let metricsAccess: MetricsAccess

    /// The statistics of the gateway's socket.
    let statistics: @Sendable () async -> Statistics?

    /// The events of the feed, and those of the comments.
    let events: FeedEvents
    let commentsEvents: CommentsEvents

    /// Permits comments over HTTP.
    let access: WriteAccess

    let version: String

    private static let router = Router(endpoints + Pages.endpoints)

    /// The web page.
    var pages: Pages {
        Pages(gateway: gateway, publicURL: publicURL, sessions: access.current?.sessions)
    }

    init(
        gateway: Gateway, publicURL: PublicURL, followsHost: Bool = false, limits: HTTPLimits, budget: AnswerBudget,
        metrics: HTTPMetrics, metricsAccess: MetricsAccess = .local,
        statistics: @escaping @Sendable () async -> Statistics? = { nil },
        access: WriteAccess = WriteAccess(token: nil), version: String = ""
    ) {
        self.gateway = gateway
        self.publicURL = publicURL
        self.followsHost = followsHost
        self.limits = limits
        self.budget = budget
        self.metrics = metrics
        self.metricsAccess = metricsAccess
        self.statistics = statistics
        self.access = access
        // A reader of an event that loads the feed or the comments again must not get the state before the change.
        events = FeedEvents(gateway.registry, publicURL, limits, mostReaders: limits.eventReaders) { event in
            if !event.change.isOfCache { gateway.feed.recent.forget() }
            if case .removed(let ids) = event.change { gateway.feed.shown.forget(ids) }
        }
        commentsEvents = CommentsEvents(
            gateway.registry, publicURL, limits, mostReaders: limits.commentsEventReaders
        ) { _ in
            gateway.comments.forget()
        }
        self.version = version
    }

    /// The description of the API with the methods that plugins publish, as `/openapi.json` answers it.
    func description() async -> RawJSON {
        OpenAPIDocument.json(
            Self.endpoints + (await gateway.publishedEndpoints()), version: version, server: publicURL)
    }

    /// Answers a request. Cancelling the task cancels the calls to the services.
    /// - Parameters:
    ///   - body: the whole body; above `bodyBytes` only its beginning.
    ///   - trace: the result of `trace(of:)`.
    func answer(
        _ request: HTTPRequest, body: ByteBuffer = ByteBuffer(), _ trace: TraceContext, for caller: HTTPCaller = .remote
    ) async -> HTTPAnswer {
        var api = self
        if followsHost, let url = request.authority.flatMap(PublicURL.init(host:)) { api.publicURL = url }
        var answer: HTTPAnswer
        do throws(RPCError) {
            answer = try await api.answer(
                request, body, CallOptions(until: gateway.registry.clock.now + HTTPLimits.requestTime, trace: trace),
                trace, caller)
        } catch {
            answer = api.refusal(error, request, trace)
        }
        answer.fields[.date] = HTTPDate.text(of: gateway.now())
        return answer
    }

    /// The trace context of the client, or a new one.
    func trace(of request: HTTPRequest) -> TraceContext {
        let given = TraceContext(
            parent: request.headerFields[.traceparent], state: request.headerFields[.tracestate])
        return given.id == nil ? .random() : given
    }

    private func answer(
        _ request: HTTPRequest, _ body: ByteBuffer, _ options: CallOptions, _ trace: TraceContext,
        _ caller: HTTPCaller
    ) async throws(RPCError) -> HTTPAnswer {
        let text = request.path ?? ""
        guard text.utf8.count <= HTTPLimits.targetBytes else {
            let detail = "the target has \(text.utf8.count) bytes, the limit is \(HTTPLimits.targetBytes)"
            return HTTPAnswer(Problem(.tooLarge, detail, status: 414, trace: trace))
        }
        if request.method == .options, text == "*" { return Self.optionsOfServer }
        let (target, route) = route(request.method, try RequestTarget(text))
        switch route {
        case .unknown:
            // Scripts of other sites that ask for an invalid id may read why it is refused.
            var answer = refusal(Endpoint.unknownPath, request, trace)
            CrossSiteReading.apply(to: &answer.fields)
            return answer
        case .otherMethods(let allowed, let isReadableAcrossSites):
            return otherMethod(request, allowed, isReadableAcrossSites, trace)
        case .endpoint(let endpoint, let value):
            var answer: HTTPAnswer
            do throws(RPCError) {
                try checkBody(request, body, endpoint)
                answer = try await endpoint.answer(
                    self,
                    EndpointRequest(
                        head: request, value: value, target: target, body: body, options: options, caller: caller)
                ).matching(request, trace)
            } catch {
                answer = refusal(error, request, trace)
            }
            answer.route = endpoint.path.text
            if endpoint.isReadableAcrossSites { CrossSiteReading.apply(to: &answer.fields) }
            return answer
        }
    }

    /// The answer to `OPTIONS *`, which is about the server and not about a path (RFC 9110 §9.3.7).
    private static let optionsOfServer: HTTPAnswer = {
        var answer = HTTPAnswer(.noContent)
        answer.fields[.allow] = "GET, HEAD, POST, OPTIONS"
        return answer
    }()

    /// A proxy may pass the path of the public URL or remove it.
    private func route(_ method: HTTPRequest.Method, _ target: RequestTarget) -> (RequestTarget, Router.Route) {
        if let inner = target.below(publicURL.path) {
            let route = route(method, inner.path)
            guard case .unknown = route else { return (inner, route) }
        }
        return (target, route(method, target.path))
    }

    /// Plugins can publish only paths that the API does not have itself.
    private func route(_ method: HTTPRequest.Method, _ path: [String]) -> Router.Route {
        let own = Self.router.route(method, path)
        guard case .unknown = own else { return own }
        return Router(gateway.publishedEndpoints(at: path)).route(method, path)
    }

    /// The answer with an error: a page for a browser, a problem document for any other client.
    private func refusal(_ error: RPCError, _ request: HTTPRequest, _ trace: TraceContext) -> HTTPAnswer {
        pages.refusal(error, request, trace) ?? HTTPAnswer(error, trace: trace)
    }

    /// The answer to `OPTIONS`, or to a method that the path does not have.
    private func otherMethod(
        _ request: HTTPRequest, _ allowed: [String], _ isReadableAcrossSites: Bool, _ trace: TraceContext
    ) -> HTTPAnswer {
        var answer: HTTPAnswer
        if request.method == .options {
            answer = HTTPAnswer(.noContent)
            if isReadableAcrossSites { CrossSiteReading.allow(&answer.fields) }
        } else {
            let methods = allowed.dropLast().joined(separator: ", ")
            answer = HTTPAnswer(
                Problem(.methodNotFound, "only \(methods) and OPTIONS are allowed here", status: 405, trace: trace))
        }
        answer.fields[.allow] = allowed.joined(separator: ", ")
        return answer
    }

    private func checkBody(
        _ request: HTTPRequest, _ body: ByteBuffer, _ endpoint: Endpoint
    ) throws(RPCError) {
        guard endpoint.body != nil else {
            guard !request.hasBody else {
                throw RPCError(.tooLarge, "a request must have no body: the limit is 0 bytes")
            }
            return
        }
        let length = request.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        guard max(body.readableBytes, length) <= HTTPLimits.bodyBytes else {
            throw RPCError(.tooLarge, "the body has more than \(HTTPLimits.bodyBytes) bytes")
        }
    }
}

extension HTTPRequest {
    /// Whether the request head announces a body.
    fileprivate var hasBody: Bool {
        headerFields[.transferEncoding] != nil || headerFields[.contentLength].map { $0 != "0" } ?? false
    }
}

extension HTTPAnswer {
    /// A plain text answer for a liveness or readiness probe.
    static func text(_ word: String) -> HTTPAnswer {
        var answer = HTTPAnswer(.ok)
        answer.fields[.contentType] = "text/plain; charset=utf-8"
        answer.fields[.cacheControl] = "no-store"
        answer.body.writeString(word + "\n")
        return answer
    }
}
