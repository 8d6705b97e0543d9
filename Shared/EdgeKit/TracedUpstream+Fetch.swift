import EdgeModel
import Upstream

extension TracedUpstream {
    /// GETs URLs for a service.
    /// - Parameter maximumBytes: the maximum size of an answer; nil for the client's limit.
    public func fetch(maximumBytes: Int? = nil) -> UpstreamFetch {
        { url, headers in
            do throws(UpstreamError) {
                let request = UpstreamRequest(
                    url: url, headers: UpstreamHeaders(headers.map { ($0.name, $0.value) }),
                    maximumBodyBytes: maximumBytes)
                return UpstreamAnswer(try await get(request))
            } catch {
                if case .cancelled = error { throw CancellationError() }
                throw error
            }
        }
    }
}

extension UpstreamAnswer {
    public init(_ response: UpstreamResponse, isComplete: Bool = true) {
        self.init(
            status: response.status, headers: response.headers.fields.map { ($0.name, $0.value) }, body: response.body,
            url: response.url, isComplete: isComplete)
    }
}
