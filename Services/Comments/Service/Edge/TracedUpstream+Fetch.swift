import EdgeKit
import Upstream

extension TracedUpstream {
    /// GETs a URL for the comments.
    var fetch: UpstreamFetch {
        { url, headers in
            let response = try await get(
                UpstreamRequest(url: url.absoluteString, headers: UpstreamHeaders(headers.map { ($0.key, $0.value) })))
            return UpstreamAnswer(status: response.status, body: response.body) { response.headers[$0] }
        }
    }
}
