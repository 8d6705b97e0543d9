import JSON

/// One method of a contract: what both sides know about it.
public struct Method<Params: Sendable, Answer: Sendable>: Sendable {
    /// `service.verb`.
    public let name: String

    /// One line for `rpc.describe`.
    public let summary: String

    public let params: Codec<Params>
    public let answer: Codec<Answer>

    /// Whether bytes may stand beside the answer.
    let answersWithBytes: Bool

    /// Whether a call that may already have been handled can be sent again without harm.
    public let isIdempotent: Bool

    /// What the method may fail with, beside what every method may.
    public let errors: [ErrorKind]

    public init(
        _ name: String, _ summary: String, params: Codec<Params>, answer: Codec<Answer>, isIdempotent: Bool = true,
        errors: [ErrorKind] = []
    ) {
        self.name = name
        self.summary = summary
        self.params = params
        self.answer = answer
        answersWithBytes = answer.schema.mentions(member: "$bytes")
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

/// One method of a contract that answers with a stream of items.
public struct StreamMethod<Params: Sendable, Item: Sendable>: Sendable {
    /// `service.verb`.
    public let name: String

    /// One line for `rpc.describe`.
    public let summary: String

    public let params: Codec<Params>
    public let item: Codec<Item>

    /// Whether bytes may stand beside the items.
    let answersWithBytes: Bool

    /// What the method may fail with, beside what every method may.
    public let errors: [ErrorKind]

    public init(
        _ name: String, _ summary: String, params: Codec<Params>, item: Codec<Item>, errors: [ErrorKind] = []
    ) {
        self.name = name
        self.summary = summary
        self.params = params
        self.item = item
        answersWithBytes = item.schema.mentions(member: "$bytes")
        self.errors = errors
    }

    /// The method without its types. What it describes as result is one item.
    public var description: MethodDescription {
        MethodDescription(
            name: name, summary: summary, params: params.schema.closed.json, result: item.schema.json,
            idempotent: true, streams: true, errors: errors)
    }
}

/// How a stream ends well.
struct StreamEnd: Sendable {
    /// How many items there were.
    let items: Int

    static let codec = Codec<StreamEnd>.object { object in
        let items = object.required("items", .integer(0 ... .max), \.items)
        return { members throws(JSONError) in StreamEnd(items: try members[items]) }
    }
}

/// Parameters of a method that takes none, and the answer of one that has nothing to say.
public struct Empty: Sendable, Equatable {
    public init() {}

    public static let codec = Codec<Empty>.object { _ in { _ in Empty() } }
}
