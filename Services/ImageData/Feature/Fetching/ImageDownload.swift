import EdgeModel
import Foundation

/// Assembles the bytes of one image from one answer, or from several when connections are interrupted.
public struct ImageDownload: Sendable {
    /// The maximum number of requests for one image.
    public static let requestLimit = 4

    /// The action after an answer.
    public enum Step: Equatable, Sendable {
        /// Send another request, with `headers`.
        case again
        /// The image is complete.
        case whole(Data, AnswerValidators)
        /// The cached bytes are still valid.
        case notModified
        /// The origin server answered with another status.
        case refused(status: Int)
        /// The image exceeds the size limit.
        case tooLarge
        /// The connection was interrupted too often.
        case cut
    }

    private let limit: Int
    private let conditions: [(name: String, value: String)]
    private var requests = 1
    private var kept = Data()
    private var validators = AnswerValidators()

    /// The value of `If-Range`; nil if nothing ties the rest of an image to the bytes so far.
    private var version: String?

    /// - Parameters:
    ///   - limit: the maximum size of an image in bytes.
    ///   - validators: those of the cached bytes.
    public init(limit: Int, validators: AnswerValidators = AnswerValidators()) {
        self.limit = limit
        conditions = validators.conditions
    }

    /// The headers of the next request.
    public var headers: [(name: String, value: String)] {
        guard !kept.isEmpty, let version else { return conditions }
        return [("range", "bytes=\(kept.count)-"), ("if-range", version)]
    }

    public mutating func add(_ answer: UpstreamAnswer) -> Step {
        switch answer.status {
        case 200:
            // A complete answer replaces the partial bytes: they are of another version, or the server does not support
            // ranges.
            kept = answer.body
            validators = answer.validators
            // What was changed in the second of the answer may change again in it (RFC 9110 §8.8.2.2).
            let isTooNew = validators.etag == nil && answer["last-modified"] == answer["date"]
            version = isTooNew ? nil : validators.forRange
        case 206 where !kept.isEmpty:
            guard let range = answer["content-range"].flatMap(ContentRange.init), continues(range, answer)
            else { return startOver() }
            // Each answer may be as large as an image, because it may be a whole image of another version; the sum may
            // not.
            guard answer.body.count <= limit - kept.count else { return .tooLarge }
            kept.append(answer.body)
            if answer.isComplete, let total = range.total, kept.count < total { return goOn() }
        case 304 where kept.isEmpty && !conditions.isEmpty: return .notModified
        case 416 where !kept.isEmpty: return startOver()
        default: return .refused(status: answer.status)
        }
        return answer.isComplete ? .whole(kept, validators) : goOn()
    }

    private mutating func goOn() -> Step {
        if version == nil { kept = Data() }
        return next()
    }

    private mutating func startOver() -> Step {
        kept = Data()
        return next()
    }

    private mutating func next() -> Step {
        guard requests < Self.requestLimit else { return .cut }
        requests += 1
        return .again
    }

    /// Whether the range continues the partial bytes. Bytes of another version must not be appended, even if the server
    /// ignores `If-Range`.
    private func continues(_ range: ContentRange, _ answer: UpstreamAnswer) -> Bool {
        guard range.first == kept.count else { return false }
        guard answer.isComplete ? answer.body.count == range.count : answer.body.count <= range.count else {
            return false
        }
        if let etag = answer["etag"] { return etag == validators.etag }
        return answer["last-modified"] == nil || answer["last-modified"] == validators.lastModified
    }
}

extension AnswerValidators {
    /// The value of `If-Range`, which ties a range to the bytes it continues (RFC 9110 §13.1.5); a weak tag cannot be
    /// used.
    public var forRange: String? {
        if let etag { return etag.hasPrefix("W/") ? nil : etag }
        return lastModified
    }
}
