import Comments
import Foundation

/// GETs a URL with the given request headers. It returns an answer of any status.
typealias UpstreamFetch = @Sendable (URL, [String: String]) async throws -> UpstreamAnswer

/// The parts of an upstream's answer that this service uses.
struct UpstreamAnswer: Equatable, Sendable {
    let status: Int
    let body: Data

    /// The `Age` of the answer in seconds.
    let age: Int

    let validators: AnswerValidators

    /// - Parameter header: returns the value of a header by its name.
    init(status: Int, body: Data, header: (String) -> String?) {
        self.status = status
        self.body = body
        age = AnswerAge.seconds(header("Age"))
        validators = AnswerValidators(etag: header("ETag"), lastModified: header("Last-Modified"))
    }

    /// The answer to a conditional request when nothing has changed.
    static let notModified = 304
}

extension AnswerValidators {
    /// The headers of a conditional request.
    var requestHeaders: [String: String] {
        var headers: [String: String] = [:]
        headers["If-None-Match"] = etag
        headers["If-Modified-Since"] = lastModified
        return headers
    }
}
