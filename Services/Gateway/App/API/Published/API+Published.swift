import HTTPTypes
import JSON
import NIOCore
import RPC

extension API {
    /// Answers with the result of a method that a plugin publishes.
    func published(
        _ route: HTTPRoute, of plugin: Plugin, _ request: EndpointRequest
    ) async throws(RPCError) -> HTTPAnswer {
        do throws(RPCError) {
            return try await answer(route, of: plugin, request)
        } catch {
            // The plugin publishes its method, so its own words about the caller's object are for the readers of the API.
            guard error.service == plugin.name, [.notFound, .alreadyExists].contains(error.kind) else { throw error }
            let detail = String(error.message.trimmingPrefix("params."))
            return HTTPAnswer(Problem(error.kind, detail, trace: request.options.trace))
        }
    }

    private func answer(
        _ route: HTTPRoute, of plugin: Plugin, _ request: EndpointRequest
    ) async throws(RPCError) -> HTTPAnswer {
        let values = route.path.values(in: request.target.path)
        let params = PublishedParams(try await gateway.contracts.method(route.method, of: plugin))
        switch route.verb {
        case .get:
            let result = try await call(
                route, of: plugin, params.params(path: values, request.query), request.options)
            return .document(result, for: request.head)
        case .post:
            if let refusal = refusal(of: request) { return refusal }
            let body = try params.params(path: values, body: request.body.readableBytesView)
            defer { gateway.noteCall(of: route.method) }
            let result = try await call(route, of: plugin, body, request.options)
            var answer = HTTPAnswer(.ok)
            answer.fields[.contentType] = "application/json"
            answer.fields[.cacheControl] = "no-store"
            answer.body = ByteBuffer(bytes: result.bytes)
            return answer
        }
    }

    private func call(
        _ route: HTTPRoute, of plugin: Plugin, _ params: RawJSON, _ options: CallOptions
    ) async throws(RPCError) -> RawJSON {
        let result = try await plugin.call(route.method, Payload(params), options).json
        guard result.bytes.count <= HTTPLimits.publishedBytes else {
            throw RPCError(
                .invalidData,
                "\(route.method): the result has \(result.bytes.count) bytes, the limit is \(HTTPLimits.publishedBytes)"
            )
        }
        return result
    }

    /// The refusal of a request that may not write; nil if it may write.
    private func refusal(of request: EndpointRequest) -> HTTPAnswer? {
        let trace = request.options.trace
        if request.head.comesFromOtherSite(than: publicURL) {
            return HTTPAnswer(.otherSite, trace: trace)
        }
        if let refusal = refusal(ofToken: request.head.bearerToken) { return HTTPAnswer(refusal, trace: trace) }
        guard request.body.readableBytes == 0 || request.head.mediaType == "application/json" else {
            let detail = "the Content-Type must be application/json, without a Content-Encoding"
            return HTTPAnswer(Problem(.invalidRequest, detail, status: 415, trace: trace))
        }
        return nil
    }
}
