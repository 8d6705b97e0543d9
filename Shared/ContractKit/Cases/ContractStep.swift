import JSON
import RPC

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
        var members = try CaseMembers(json, of: "a step")
        guard let name = try members.text("name"), !name.isEmpty else { throw ContractMistake("a step has no name") }
        self.name = name
        (within, isExample, action) = try inside(name) {
            try members.check(known: Self.members)
            let within = try members.milliseconds("within_ms")
            let (action, isExample) = try Self.action(&members)
            try members.finish()
            return (within, isExample, action)
        }
    }

    /// The method that it calls; nil for another step.
    var method: String? { if case .call(let call) = action { call.method } else { nil } }

    /// The members of every kind of step.
    private static let members: Set = [
        "name", "within_ms", "example", "call", "params", "meta", "attachments", "stream", "result", "error", "items",
        "end",
        "connection", "send", "closes_sending", "receive", "silent_ms", "closed",
    ]

    /// The members that are read depend on the kind of the step.
    private static func action(_ members: inout CaseMembers) throws -> (Action, isExample: Bool) {
        if members.has("call") { return (.call(try Call(calling: &members)), try members.flag("example")) }
        if members.has("stream") { return (.call(try Call(continuing: &members)), false) }
        return (.exchange(try Exchange(&members)), false)
    }
}

extension ContractStep.Call {
    fileprivate init(calling members: inout CaseMembers) throws {
        method = try members.text("call")
        params = members.value("params") ?? [:]
        meta = try members.object("meta") ?? JSONMembers()
        attachments = try members.flag("attachments")
        stream = try members.text("stream")
        switch (members.value("result"), members.value("error"), try members.list("items")) {
        case (let result?, nil, nil): outcome = .result(result)
        case (nil, let error?, nil): outcome = .error(try ContractStep.expectedError(error))
        case (nil, nil, let items?): outcome = .items(items, end: try ContractStep.end(&members))
        default: throw ContractMistake("one of result, items and error must be expected")
        }
    }

    fileprivate init(continuing members: inout CaseMembers) throws {
        (method, params, meta, attachments) = (nil, [:], JSONMembers(), false)
        stream = try members.text("stream")
        guard let items = try members.list("items") else { throw ContractMistake("items must be expected") }
        outcome = .items(items, end: try ContractStep.end(&members))
    }
}

extension ContractStep {
    /// How a stream ends: with a result or an error.
    fileprivate static func end(_ members: inout CaseMembers) throws -> JSONValue? {
        guard let end = members.value("end") else { return nil }
        var outcome = try CaseMembers(end, of: "end")
        let (result, error) = (outcome.value("result"), outcome.value("error"))
        if result != nil, error != nil { throw ContractMistake("end has both a result and an error") }
        if let error { _ = try expectedError(error) }
        try outcome.finish()
        return end
    }

    /// The members of an expected error; `AnswerError` compares them.
    fileprivate static func expectedError(_ json: JSONValue) throws -> JSONValue {
        var members = try CaseMembers(json, of: "an expected error")
        guard let kind = members.value("kind") else { throw ContractMistake("an expected error has no kind") }
        if let text = kind.text, !text.hasPrefix("$"), ErrorKind(rawValue: text) == nil {
            let known = ErrorKind.allCases.map(\.rawValue).sorted().joined(separator: ", ")
            throw ContractMistake("unknown kind \(text) of an error. Known: \(known)")
        }
        _ = try members.text("names")
        for name in ["details", "retryable", "begun"] { _ = members.value(name) }
        try members.finish()
        return json
    }
}

extension ContractStep.Exchange {
    fileprivate init(_ members: inout CaseMembers) throws {
        let frames = ["send", "receive", "closed", "silent_ms", "closes_sending"]
        guard frames.contains(where: members.has) else {
            throw ContractMistake("a step needs call, stream, send, receive, closed, silent_ms or closes_sending")
        }
        connection = try members.text("connection") ?? "main"
        send = try members.list("send") ?? []
        closesSending = try members.flag("closes_sending")
        receive = members.value("receive")
        guard receive == nil || receive?.elements != nil || receive?.members != nil else {
            throw ContractMistake("receive must be a list or an object, is \(receive?.excerpt ?? "")")
        }
        silence = try members.milliseconds("silent_ms")
        isClosed = try members.flag("closed")
    }
}
