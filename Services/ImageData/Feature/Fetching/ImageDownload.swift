import Foundation

/// The bytes of one picture while they come: over one request, or over several when connections are cut.
public struct ImageDownload: Sendable {
    /// How many requests are made for one picture at the most.
    public static let requestLimit = 4

    /// What is to be done after an answer.
    public enum Step: Equatable, Sendable {
        /// Send one more request, with `headers`.
        case again
        /// All of it is there.
        case whole(Data, Validators, age: Int)
        /// The bytes that are kept are still those of the origin.
        case notModified(age: Int)
        /// What the origin has answered instead.
        case refused(status: Int)
        /// There is more of it than a picture may have.
        case tooLarge
        /// It was cut too often.
        case cut
    }

    private let limit: Int
    private let conditions: [(name: String, value: String)]
    private var requests = 1
    private var kept = Data()
    private var validators = Validators()

    /// - Parameters:
    ///   - limit: the most bytes of a picture.
    ///   - validators: of the bytes that are kept already.
    public init(limit: Int, validators: Validators = Validators()) {
        self.limit = limit
        conditions = validators.conditions
    }

    /// What the next request says.
    public var headers: [(name: String, value: String)] {
        guard !kept.isEmpty, let version = validators.forRange else { return conditions }
        return [("range", "bytes=\(kept.count)-"), ("if-range", version)]
    }

    public mutating func add(_ answer: OriginAnswer) -> Step {
        switch answer.status {
        case 200:
            // All of it, whatever was asked for: what is kept is of another version, or the origin knows no ranges.
            kept = answer.body
            validators = answer.validators
        case 206 where !kept.isEmpty:
            guard let range = answer["content-range"].flatMap(ContentRange.init), continues(range, answer)
            else { return startOver() }
            // Each answer may have as much as a picture, since it may be all of another version: together they may not.
            guard answer.body.count <= limit - kept.count else { return .tooLarge }
            kept.append(answer.body)
            if answer.isComplete, let total = range.total, kept.count < total { return goOn() }
        case 304 where kept.isEmpty && !conditions.isEmpty: return .notModified(age: answer.age)
        case 416 where !kept.isEmpty: return startOver()
        default: return .refused(status: answer.status)
        }
        return answer.isComplete ? .whole(kept, validators, age: answer.age) : goOn()
    }

    private mutating func goOn() -> Step {
        if validators.forRange == nil { kept = Data() }
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

    /// Whether the range is what comes next of the same bytes. Those of another version must not be put behind what is kept,
    /// whatever the origin thinks of `If-Range`.
    private func continues(_ range: ContentRange, _ answer: OriginAnswer) -> Bool {
        guard range.first == kept.count else { return false }
        guard answer.body.count == range.count || !answer.isComplete && answer.body.count < range.count else {
            return false
        }
        if let etag = answer["etag"] { return etag == validators.etag }
        return answer["last-modified"] == nil || answer["last-modified"] == validators.lastModified
    }
}
