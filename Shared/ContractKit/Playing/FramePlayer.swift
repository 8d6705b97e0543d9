import JSON
import RPC

/// Plays the steps of a case that exchange raw frames.
final class FramePlayer {
    private let path: SocketPath
    private var connections: [String: WireConnection] = [:]

    init(_ path: SocketPath) { self.path = path }

    func play(
        _ step: ContractStep.Exchange, _ pattern: inout Pattern, by deadline: Deadline, _ exchange: inout StepExchange
    ) throws -> [Difference] {
        let connection = try connections[step.connection] ?? WireConnection(to: path, by: deadline)
        connections[step.connection] = connection
        do {
            exchange.sent = try step.send.map(pattern.filledFrame)
            let bytes = try exchange.sent.flatMap { try Self.bytes(of: $0) }
            try connection.send(bytes, by: deadline)
            if step.closesSending { connection.closeSending() }
            return try receive(step, on: connection, &pattern, by: deadline, &exchange)
        } catch let fault as PeerFault {
            connections[step.connection] = nil
            throw fault
        }
    }

    private func receive(
        _ step: ContractStep.Exchange, on connection: WireConnection, _ pattern: inout Pattern, by deadline: Deadline,
        _ exchange: inout StepExchange
    ) throws -> [Difference] {
        var received: [JSONValue] = []
        let expected = try pattern.filled(step.receive ?? [])
        guard let count = (expected.elements ?? expected["$unordered"]?.elements)?.count else {
            throw ContractMistake("receive must be a list, or {\"$unordered\": a list}")
        }
        exchange.expected = expected
        // Messages may have more members (PROTOCOL.md §2).
        let declared = pattern.declared
        pattern.declared = []
        defer { pattern.declared = declared }
        while received.count < count {
            let wanted = expected.elements?[received.count]["$frame"]
            guard let value = try Self.next(wanted, on: connection, by: deadline) else {
                return [Difference("frames", "the connection was closed after \(received.count) of \(count)")]
            }
            received.append(value)
            exchange.received = .array(received)
        }
        var differences = try pattern.differences(expected, .array(received), at: "frames")
        if let silence = step.silence, !connection.isSilent(for: silence) {
            differences.append(Difference("frames", "nothing more should arrive within \(silence.text)"))
        }
        if step.isClosed, let frame = try connection.frame(by: deadline) {
            let value = try Self.value(of: frame)
            exchange.received = .array(received + [value])
            differences.append(Difference("frames", "the connection should be closed here, sent \(value.excerpt)"))
        }
        return differences
    }

    /// The next frame, or the next frames of a number together: a sender may send smaller ones than another.
    /// - Parameter wanted: the expected frame. With `total`, frames of its number are added up: until the last one of a message or
    ///   an attachment, or until they have that many bytes.
    /// - Returns: nil when the connection is closed.
    private static func next(
        _ wanted: JSONValue?, on connection: WireConnection, by deadline: Deadline
    ) throws -> JSONValue? {
        guard var frame = try connection.frame(by: deadline) else { return nil }
        guard let total = wanted?["total"], let number = wanted?["number"]?.integer else { return try value(of: frame) }
        var sum = frame.body.count
        while frame.number == number, [Frame.chunk, Frame.part].contains(frame.kind),
            total.integer.map({ sum < $0 }) ?? true
        {
            guard let next = try connection.frame(by: deadline) else { return nil }
            frame = next
            sum += frame.body.count
        }
        guard frame.number == number else { return try value(of: frame) }
        return ["$frame": ["kind": .integer(Int(frame.kind)), "number": .integer(number), "total": .integer(sum)]]
    }

    // MARK: Frames as JSON

    /// - Parameter value: a text for a frame with this text, `$hex` for bytes without a frame, `$frame`, or a message.
    private static func bytes(of value: JSONValue) throws -> [UInt8] {
        if let hexadecimal = value["$hex"]?.text { return try bytes(hexadecimal: hexadecimal) }
        guard let frame = value["$frame"] else {
            return Frame(kind: Frame.message, payload: Array((value.text ?? value.json).utf8)).bytes
        }
        guard let kind = frame["kind"]?.integer.flatMap(UInt8.init(exactly:)) else {
            throw ContractMistake("$frame has a kind from 0 to 255")
        }
        let payload = try frame["hex"]?.text.map(bytes(hexadecimal:)) ?? Array((frame["text"]?.text ?? "").utf8)
        guard let number = frame["number"]?.integer else { return Frame(kind: kind, payload: payload).bytes }
        return Frame(kind: kind, number: number, payload: payload).bytes
    }

    private static func bytes(hexadecimal text: String) throws -> [UInt8] {
        try text.split(separator: " ").map { digits in
            guard digits.count == 2, let byte = UInt8(digits, radix: 16) else {
                throw ContractMistake("\(digits.prefix(40)) is not a byte of two hexadecimal digits")
            }
            return byte
        }
    }

    private static func value(of frame: Frame) throws -> JSONValue {
        guard frame.kind == Frame.message else {
            var members = JSONMembers([("kind", .integer(Int(frame.kind))), ("size", .integer(frame.body.count))])
            if let number = frame.number { members["number"] = .integer(number) }
            return ["$frame": .object(members)]
        }
        do {
            return try JSONValue(json: frame.payload).withErrorKinds
        } catch {
            throw PeerFault("sent a message that is not JSON: \(error)")
        }
    }
}

extension Pattern {
    /// A text stays as it is, so that it may be any text.
    fileprivate func filledFrame(_ value: JSONValue) throws -> JSONValue {
        value.text == nil ? try filled(value) : value
    }
}

extension JSONValue {
    /// A message whose error is reduced to its kind, so that cases do not depend on wording. What breaks PROTOCOL.md §3 stays.
    fileprivate var withErrorKinds: JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map(\.withErrorKinds))
        case .object(var members):
            guard let error = members["error"].map({ AnswerError($0, at: "error") }), error.violations.isEmpty else {
                return self
            }
            members["error"] = ["kind": .string(error.kind)]
            return .object(members)
        default: return self
        }
    }
}
