import JSON

/// One method of a contract, as server and client know it.
public struct Method<Params: Sendable, Answer: Sendable>: Sendable {
    /// `service.verb`.
    public let name: String

    /// One line of documentation for `rpc.describe`.
    public let summary: String

    public let params: Codec<Params>
    public let answer: Codec<Answer>

    /// Whether the answer may have attachments.
    let answersWithBytes: Bool

    /// Whether a call may safely be sent again after it may have been handled.
    public let isIdempotent: Bool

    /// Errors of this method, in addition to those of every method.
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

    /// The description without Swift types.
    public var description: MethodDescription {
        MethodDescription(
            name: name, summary: summary, params: params.schema.closed.json, result: answer.schema.json,
            idempotent: isIdempotent, streams: false, errors: errors)
    }
}

/// A method of a contract that answers with a stream of items.
public struct StreamMethod<Params: Sendable, Item: Sendable>: Sendable {
    /// `service.verb`.
    public let name: String

    /// One line of documentation for `rpc.describe`.
    public let summary: String

    public let params: Codec<Params>
    public let item: Codec<Item>

    /// Whether items may have attachments.
    let answersWithBytes: Bool

    /// Errors of this method, in addition to those of every method.
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

    /// The description without Swift types; its result is one item.
    public var description: MethodDescription {
        MethodDescription(
            name: name, summary: summary, params: params.schema.closed.json, result: item.schema.json,
            idempotent: true, streams: true, errors: errors)
    }
}

/// The answer that ends a stream without an error.
struct StreamEnd: Sendable {
    /// How many items were sent.
    let items: Int

    static let codec = Codec<StreamEnd>.object { object in
        let items = object.required("items", .integer(0 ... .max), \.items)
        return { members throws(JSONError) in StreamEnd(items: try members[items]) }
    }
}

/// The parameters of a method without parameters, or the answer of a method without a result.
public struct Empty: Sendable, Equatable {
    public init() {}

    public static let codec = Codec<Empty>.object { _ in { _ in Empty() } }
}

/// The answer of a method that reports only how many things it changed.
public struct Count: Sendable, Equatable {
    public let count: Int

    public init(count: Int) { self.count = count }

    public static let codec = Codec<Count>.object { object in
        let count = object.required("count", .integer(0 ... .max), \.count)
        return { members throws(JSONError) in Count(count: try members[count]) }
    }
}
