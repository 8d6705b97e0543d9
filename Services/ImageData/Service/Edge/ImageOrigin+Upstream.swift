import ImageData
import RPC
import Upstream

extension ImageOrigin {
    /// Asks origins through the guarded client.
    /// - Parameter monitor: watches over what goes to the upstream itself; pictures may lie anywhere.
    static func get(_ client: TracedUpstream, _ upstream: UpstreamBase, _ monitor: UpstreamMonitor) -> Get {
        { request in
            let get = UpstreamRequest(
                url: request.url, headers: UpstreamHeaders(request.headers.map { ($0.name, $0.value) }),
                maximumBodyBytes: request.maximumBytes, acceptsCompression: false)
            let isWatched = upstream.isOrigin(of: request.url)
            do throws(UpstreamError) {
                let response = try await client.get(get)
                if isWatched { monitor.answered(request.url) }
                return OriginAnswer(response, isComplete: true)
            } catch {
                if isWatched, error.rpcError.kind == .connectivity { monitor.failed(request.url, .absent("\(error)")) }
                // What had come is a beginning.
                if let partial = error.partial { return OriginAnswer(partial, isComplete: false) }
                throw error.imageError
            }
        }
    }
}

extension OriginAnswer {
    fileprivate init(_ response: UpstreamResponse, isComplete: Bool) {
        self.init(
            status: response.status, headers: response.headers.fields.map { ($0.name, $0.value) }, body: response.body,
            isComplete: isComplete)
    }
}

extension UpstreamError {
    fileprivate var imageError: any Error {
        switch self {
        case .cancelled: CancellationError()
        case .refused: ImageOriginError.forbidden("\(self)")
        case .unreachable, .timedOut, .interrupted, .pinMismatch, .tls, .overloaded, .shutDown:
            ImageOriginError.unreachable("\(self)")
        case .tooLarge(.header, _), .malformed, .tooManyRedirects: ImageOriginError.malformed("\(self)")
        case .tooLarge(_, let limit): ImageOriginError.tooLarge(limit: limit)
        }
    }
}
