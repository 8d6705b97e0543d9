import ImageData
import RPC
import Upstream

extension ImageOrigin {
    /// Asks origins through the guarded client.
    /// - Parameter monitor: is told of requests to the upstream itself, where there is one; pictures may lie anywhere.
    static func get(_ client: TracedUpstream, _ upstream: UpstreamBase?, _ monitor: UpstreamMonitor?) -> Get {
        { request in
            let get = UpstreamRequest(
                url: request.url, headers: UpstreamHeaders(request.headers.map { ($0.name, $0.value) }),
                maximumBodyBytes: request.maximumBytes, acceptsCompression: false, totalTime: request.timeLimit)
            let watcher = upstream?.isOrigin(of: request.url) == true ? monitor : nil
            do throws(UpstreamError) {
                let response = try await client.get(get)
                watcher?.answered(request.url)
                return OriginAnswer(response, isComplete: true)
            } catch {
                // A picture that cannot be used says as much about the upstream as one that can.
                switch UpstreamMonitor.Failure(error) {
                case .absent(let reason)?: watcher?.failed(request.url, .absent(reason))
                case .rejected?: watcher?.answered(request.url)
                case nil: break
                }
                // Only a cut is resumed. A time limit that has expired ends the fetch: a host that is too slow would be too
                // slow again, and each attempt would hold a place among the fetches for as long.
                if case .interrupted(let partial?, _) = error { return OriginAnswer(partial, isComplete: false) }
                throw error.imageError
            }
        }
    }
}

extension ImageOrigin {
    /// Checks whether a URL may be fetched, without a request.
    /// - Throws: `ImageOriginError.forbidden`. That its host is not known now is no error.
    static func check(_ client: UpstreamClient) -> @Sendable (_ url: String) async throws -> Void {
        { url in
            do throws(UpstreamError) {
                try await client.check(url)
            } catch {
                switch error {
                case .refused, .cancelled: throw error.imageError
                default: return
                }
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
        case .refused: ImageOriginError.forbidden(summary)
        case .unreachable, .timedOut, .interrupted, .pinMismatch, .tls, .overloaded, .shutDown:
            ImageOriginError.unreachable(summary)
        case .tooLarge(.header, _), .malformed, .tooManyRedirects: ImageOriginError.malformed(summary)
        case .tooLarge(_, let limit): ImageOriginError.tooLarge(limit: limit)
        }
    }
}
