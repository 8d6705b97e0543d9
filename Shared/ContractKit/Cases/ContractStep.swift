/// One step of a case: a call with its outcome, or frames with those that answer them.
public struct ContractStep: Sendable {
    public let name: String
    let action: Action

    /// The answer must arrive within this time; nil for the time of the verification.
    let within: Duration?

    /// Whether contract.json shows it as an example of its method.
    public let isExample: Bool

    enum Action: Sendable {
        case call(Call)
        case exchange(Exchange)
    }

    /// A call, or the continuation of a stream that an earlier step has opened.
    struct Call: Sendable {
        /// Nil to continue `stream`.
        let method: String?
        let params: JSONValue
        let meta: JSONMembers
        /// Whether bytes travel as attachments.
        let attachments: Bool
        /// The name of a stream that stays open after the step.
        let stream: String?
        let outcome: Outcome
    }

    enum Outcome: Sendable {
        case result(JSONValue)
        case error(JSONValue)
        /// The next items of a stream. With `end` the stream must end after them. Otherwise it stays open if it has a name, else it is
        /// cancelled.
        case items([JSONValue], end: JSONValue?)
    }

    /// Raw frames, for the protocol itself.
    struct Exchange: Sendable {
        /// Each connection has a name. The first step that names it opens it.
        let connection: String
        let send: [JSONValue]
        let closesSending: Bool
        /// The messages that arrive: an array, or `$unordered`.
        let receive: JSONValue?
        /// For this time after the messages, nothing may arrive.
        let silence: Duration?
        /// Whether the implementation closes the connection after the messages.
        let isClosed: Bool
    }

    init(_ json: JSONValue) throws {
        guard let members = json.members, let name = members["name"]?.text else {
            throw ContractMistake("a step is an object with a name")
        }
        self.name = name
        (within, isExample) = (members["within_ms"]?.milliseconds, members["example"] == true)
        action = try inside(name) {
            try Self.checkNames(members)
            return members["call"] == nil && members["stream"] == nil
                ? .exchange(try Exchange(members)) : .call(try Call(members))
        }
    }

    private static let known: Set = [
        "name", "within_ms", "example", "call", "params", "meta", "attachments", "stream", "result", "error", "items",
        "end", "connection", "send", "closes_sending", "receive", "silent_ms", "closed",
    ]

    private static func checkNames(_ members: JSONMembers) throws {
        if let unknown = members.names.first(where: { !known.contains($0) }) {
            throw ContractMistake("\(unknown) is not a member of a step")
        }
    }
}

extension ContractStep.Call {
    fileprivate init(_ members: JSONMembers) throws {
        method = members["call"]?.text
        params = members["params"] ?? [:]
        meta = members["meta"]?.members ?? JSONMembers()
        attachments = members["attachments"] == true
        stream = members["stream"]?.text
        switch (members["result"], members["error"], members["items"]?.elements) {
        case (let result?, nil, nil): outcome = .result(result)
        case (nil, let error?, nil): outcome = .error(error)
        case (nil, nil, let items?): outcome = .items(items, end: members["end"])
        default: throw ContractMistake("one of result, items and error must be expected")
        }
    }
}

extension ContractStep.Exchange {
    fileprivate init(_ members: JSONMembers) throws {
        connection = members["connection"]?.text ?? "main"
        send = members["send"]?.elements ?? []
        closesSending = members["closes_sending"] == true
        receive = members["receive"]
        silence = members["silent_ms"]?.milliseconds
        isClosed = members["closed"] == true
        guard members["send"] != nil || receive != nil || isClosed || silence != nil || closesSending else {
            throw ContractMistake("a step has a call, or frames to send or to receive")
        }
    }
}

extension JSONValue {
    fileprivate var milliseconds: Duration? { integer.map { .milliseconds($0) } }
}
