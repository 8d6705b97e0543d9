import FeedContract
import HTTPTypes
import RPC

/// The HTTP API. Its format is that of an upstream, so one deployment can be the upstream of another.
struct API: Sendable {
    let gateway: Gateway
    let publicURL: PublicURL
    let limits: HTTPLimits

    /// The listener's budget.
    let budget: AnswerBudget

    /// Answers a request. Cancelling the task cancels the calls to the services.
    /// - Parameter trace: the result of `trace(of:)`.
    func answer(_ request: HTTPRequest, _ trace: TraceContext) async -> HTTPAnswer {
        var answer: HTTPAnswer
        do throws(RPCError) {
            answer = try await self.answer(request, CallOptions(timeout: limits.requestTime, trace: trace), trace)
        } catch {
            answer = HTTPAnswer(error, trace: trace)
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
        _ request: HTTPRequest, _ options: CallOptions, _ trace: TraceContext
    ) async throws(RPCError) -> HTTPAnswer {
        let text = request.path ?? ""
        guard text.utf8.count <= HTTPLimits.targetBytes else {
            let detail = "the target has \(text.utf8.count) bytes, the limit is \(HTTPLimits.targetBytes)"
            return HTTPAnswer(Problem(.tooLarge, detail, status: 414, trace: trace))
        }
        let target = try RequestTarget(text)
        guard let route = Route(target.path) else { throw RPCError(.notFound, "the API has no such path") }
        guard request.method == .get || request.method == .head else {
            var answer = HTTPAnswer(
                Problem(.methodNotFound, "only GET and HEAD are allowed here", status: 405, trace: trace))
            answer.fields[.allow] = "GET, HEAD"
            return answer
        }
        guard !request.hasBody else { throw RPCError(.tooLarge, "a request must have no body: the limit is 0 bytes") }
        switch route {
        case .feed: return try await feed(LoadFeed(Query(target.query)), request, options)
        case .comments(let id): return try await comments(of: id, request, options)
        case .imageData(let id): return try await imageData(of: id, Query(target.query), request, options)
        case .alive: return .text("alive")
        case .ready: return try await readiness()
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
