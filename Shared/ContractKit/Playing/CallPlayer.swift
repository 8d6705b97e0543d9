import JSON
import RPC

/// Plays the steps of a case that call methods.
final class CallPlayer {
    private let path: SocketPath
    private let features: Set<String>
    private var connection: CallConnection?
    private var streams: [String: Int] = [:]

    /// The names of all streams that steps were to open, also of those that have failed or ended.
    private var named: Set<String> = []

    init(_ path: SocketPath, features: Set<String>) {
        self.path = path
        self.features = features
    }

    /// Plays a step and notes what was sent and what arrived.
    func play(
        _ call: ContractStep.Call, _ pattern: inout Pattern, by deadline: Deadline, _ exchange: inout StepExchange
    ) throws -> [Difference] {
        if call.method != nil, let name = call.stream { named.insert(name) }
        do {
            let connection = try connection ?? CallConnection(to: path, features: features, by: deadline)
            self.connection = connection
            if let missing = features.subtracting(connection.negotiated).sorted().first {
                throw PeerFault("does not negotiate the feature \(missing)")
            }
            let id = try begin(call, on: connection, pattern, by: deadline, &exchange)
            switch call.outcome {
            case .items(let items, let end):
                return try play(
                    call, id, pattern.filledItems(items), end: end, on: connection, &pattern, by: deadline, &exchange)
            case .result, .error:
                let answer = try connection.answer(of: id, by: deadline)
                exchange.received = answer.outcome
                return try compare(answer, with: call.outcome, &pattern, &exchange)
            }
        } catch let fault as PeerFault {
            // A late message must not count for a later step.
            (connection, streams) = (nil, [:])
            throw fault
        }
    }

    private func begin(
        _ call: ContractStep.Call, on connection: CallConnection, _ pattern: Pattern, by deadline: Deadline,
        _ exchange: inout StepExchange
    ) throws -> Int {
        guard let method = call.method else {
            let name = call.stream ?? ""
            if let id = streams[name] { return id }
            guard named.contains(name) else { throw ContractMistake("no open stream is called \(name)") }
            throw PeerFault("has not opened the stream \(name), or has ended it")
        }
        var meta = call.meta
        if case .items = call.outcome, meta["stream"] == nil { meta["stream"] = true }
        let (id, text) = try connection.send(
            method, pattern.filled(call.params), meta: meta, attaches: call.attachments, by: deadline)
        exchange.sent = [text]
        if let name = call.stream { streams[name] = id }
        return id
    }

    private func compare(
        _ answer: JSONValue, with outcome: ContractStep.Outcome, _ pattern: inout Pattern,
        _ exchange: inout StepExchange
    ) throws -> [Difference] {
        switch (outcome, answer["result"], answer["error"]) {
        case (.result(let expected), let result?, _):
            let expected = try pattern.filled(expected)
            exchange.expected = ["result": expected]
            return try pattern.differences(expected, result, at: "result")
        case (.error(let expected), _, let error?):
            let expected = try pattern.filled(expected)
            exchange.expected = ["error": expected]
            return try AnswerError(error, at: "error").differences(from: expected, &pattern, at: "error")
        case (.result(let expected), _, let error?):
            exchange.expected = ["result": try pattern.filled(expected)]
            let error = AnswerError(error, at: "error")
            return [
                Difference(
                    "result", "is missing: the call failed as \(error.kind), \(JSONValue.string(error.message).excerpt)"
                )
            ]
        case (.error(let expected), let result?, _):
            exchange.expected = ["error": try pattern.filled(expected)]
            return [Difference("error", "is missing: the call answered \(result.excerpt)")]
        default: return []
        }
    }

    // MARK: Streams

    private func play(
        _ call: ContractStep.Call, _ id: Int, _ expected: [JSONValue], end: JSONValue?, on connection: CallConnection,
        _ pattern: inout Pattern, by deadline: Deadline, _ exchange: inout StepExchange
    ) throws -> [Difference] {
        exchange.expected = ["items": .array(expected)]
        var items: [JSONValue] = []
        while items.count < expected.count, let item = try connection.item(of: id, by: deadline) {
            items.append(item)
            exchange.received = ["items": .array(items)]
            if call.meta["window"] == nil {
                try connection.notify("rpc.grant", ["id": .integer(id), "items": 1], by: deadline)
            }
        }
        guard items.count == expected.count else {
            let answer = try connection.answer(of: id, by: deadline)
            exchange.received = ["items": .array(items), "end": answer.outcome]
            return [
                Difference("items", "ended after \(items.count) of \(expected.count) items: \(answer.outcome.excerpt)")
            ]
        }
        let differences = try pattern.differences(.array(expected), .array(items), at: "items")
        if let end {
            return try differences + play(end: end, of: id, on: connection, &pattern, by: deadline, &exchange)
        }
        if call.stream == nil { try cancel(id, on: connection, by: deadline) }
        return differences
    }

    /// The stream ends by itself, with a result or an error.
    private func play(
        end: JSONValue, of id: Int, on connection: CallConnection, _ pattern: inout Pattern, by deadline: Deadline,
        _ exchange: inout StepExchange
    ) throws -> [Difference] {
        if let item = try connection.item(of: id, by: deadline) {
            return [Difference("items", "should end here, has one more: \(item.excerpt)")]
        }
        let answer = try connection.answer(of: id, by: deadline)
        let outcome: ContractStep.Outcome =
            end["error"].map { .error($0) } ?? .result(end["result"] ?? "$any")
        var ending = StepExchange()
        let differences = try compare(answer, with: outcome, &pattern, &ending)
        exchange.received = answer.outcome
        return differences
    }

    /// PROTOCOL.md §2: the call is answered at once. A stream that ends meanwhile is answered with its result.
    private func cancel(_ id: Int, on connection: CallConnection, by deadline: Deadline) throws {
        try connection.notify("rpc.cancel", ["id": .integer(id)], by: deadline)
        while try connection.item(of: id, by: deadline) != nil {}
        let answer = try connection.answer(of: id, by: deadline)
        if let error = answer["error"].map({ AnswerError($0, at: "error") }), error.kind != "cancelled" {
            throw PeerFault("answered the cancelled stream with \(error.kind)")
        }
    }
}

extension Pattern {
    fileprivate func filledItems(_ items: [JSONValue]) throws -> [JSONValue] { try items.map(filled) }
}

extension JSONValue {
    /// The part of an answer for the report.
    fileprivate var outcome: JSONValue {
        self["error"].map { ["error": $0] } ?? ["result": self["result"] ?? .null]
    }
}
