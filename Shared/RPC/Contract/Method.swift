/// One method of a contract: what both sides know about it.
public struct Method<Params: Sendable, Answer: Sendable>: Sendable {
    /// `service.verb`.
    public let name: String

    /// One line for `rpc.describe`.
    public let summary: String

    public let params: Shape<Params>
    public let answer: Shape<Answer>

    /// Whether a call that may already have been handled can be sent again without harm.
    public let isIdempotent: Bool

    /// What the method may fail with, beside what every method may.
    public let errors: [ErrorKind]

    public init(
        _ name: String, _ summary: String, params: Shape<Params>, answer: Shape<Answer>, isIdempotent: Bool = true,
        errors: [ErrorKind] = []
    ) {
        self.name = name
        self.summary = summary
        self.params = params
        self.answer = answer
        self.isIdempotent = isIdempotent
        self.errors = errors
    }

    /// The method without its types.
    public var description: MethodDescription {
        MethodDescription(
            name: name, summary: summary, params: params.schema.closed.json, result: answer.schema.json,
            idempotent: isIdempotent, streams: false, errors: errors)
    }
}

/// Parameters of a method that takes none, and the answer of one that has nothing to say.
public struct Empty: Sendable, Equatable {
    public init() {}

    public static let shape = Shape<Empty>.object { _ in { _ in Empty() } }
}
