import EdgeKit
import EdgeModel
import ImageData
import RPC
import Upstream

extension ImageOrigin {
    /// Sends requests through the client that enforces the address rules.
    /// - Parameter monitor: gets the outcome of requests to the upstream itself; images may be on other hosts.
    static func get(_ client: TracedUpstream, _ upstream: UpstreamBase?, _ monitor: UpstreamMonitor?) -> Get {
        { request in
            let get = UpstreamRequest(
                url: request.url, headers: UpstreamHeaders(request.headers.map { ($0.name, $0.value) }),
                maximumBodyBytes: request.maximumBytes, acceptsCompression: false, totalTime: request.timeLimit)
            let watcher = upstream?.isOrigin(of: request.url) == true ? monitor : nil
            do throws(UpstreamError) {
                let response = try await client.get(get)
                watcher?.answered(request.url)
                return UpstreamAnswer(response)
            } catch {
                // An unusable image also proves that the upstream answers.
                switch UpstreamMonitor.Failure(error) {
                case .absent(let reason)?: watcher?.failed(request.url, .absent(reason))
                case .rejected?: watcher?.answered(request.url)
                case nil: break
                }
                // Only an interruption is resumed. A timeout ends the fetch: a slow host would be too slow again, and
                // each attempt would occupy a fetch slot for as long.
                if case .interrupted(let partial?, _) = error { return UpstreamAnswer(partial, isComplete: false) }
                throw error.imageError
            }
        }
    }
}

extension ImageOrigin {
    /// Checks whether a URL may be fetched, without a request.
    /// - Throws: `ImageOriginError.forbidden`. A host name that cannot be resolved now is no error.
    static func check(_ client: UpstreamClient) -> @Sendable (_ url: String) async throws -> Void {
        { url in
            do throws(UpstreamError) {
                try await client.check(url)
            } catch {
                switch error {
                // No redirect was followed, so the reason is about this URL.
                case .refused(let refusal): throw ImageOriginError.forbidden(refusal.summary)
                case .cancelled: throw error.imageError
                default: return
                }
            }
        }
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
