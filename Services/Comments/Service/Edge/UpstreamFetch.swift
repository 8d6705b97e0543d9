import Comments
import Foundation

/// Gets what is at a URL, with these request headers, whatever its status.
typealias UpstreamFetch = @Sendable (URL, [String: String]) async throws -> UpstreamAnswer

/// What an upstream has answered, as far as it is of interest here.
struct UpstreamAnswer: Equatable, Sendable {
    let status: Int
    let body: Data

    /// In seconds, how long it was kept on its way.
    let age: Int

    let validators: AnswerValidators

    /// - Parameter header: the value of a header by its name.
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
    /// Ask for the answer only if it has changed.
    var requestHeaders: [String: String] {
        var headers: [String: String] = [:]
        headers["If-None-Match"] = etag
        headers["If-Modified-Since"] = lastModified
        return headers
    }
}
