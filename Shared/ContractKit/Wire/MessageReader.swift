import Foundation
import JSON

/// Reads messages, also those in parts and with attachments, as a client that has negotiated these features.
final class MessageReader {
    private let connection: WireConnection
    private var parts: [Int: [UInt8]] = [:]
    private var attachments: [Int: [UInt8]] = [:]
    /// The bytes of the message whose attachments are read: of its text and of its complete attachments.
    private var messageBytes = 0
    private var isCreditNegotiated = false
    private let maximumBytes: Int

    /// The largest message with its attachments; also the most bytes in parts that are not complete.
    static let maximumBytes = 64 << 20

    init(_ connection: WireConnection, maximumBytes: Int = maximumBytes) {
        (self.connection, self.maximumBytes) = (connection, maximumBytes)
    }

    func negotiated(_ features: Set<String>) { isCreditNegotiated = features.contains("credit") }

    /// The next message; nil when the other side has closed the connection.
    func next(by deadline: Deadline) throws -> Message? {
        while let frame = try connection.frame(by: deadline) {
            switch frame.kind {
            case Frame.message: return try complete(frame.payload, by: deadline)
            case Frame.part, Frame.lastPart:
                let number = try collect(frame, in: \.parts, by: deadline)
                if frame.kind == Frame.lastPart, let text = parts.removeValue(forKey: number) {
                    return try complete(text, by: deadline)
                }
            case Frame.credit: break
            default: throw PeerFault("sent a frame of kind \(frame.kind), which is not expected here")
            }
        }
        return nil
    }

    private func complete(_ text: [UInt8], by deadline: Deadline) throws -> Message {
        let message: JSONValue
        do {
            message = try JSONValue(json: text)
        } catch {
            throw PeerFault("sent a message that is not JSON: \(error)")
        }
        guard let numbers = message["attachments"]?.elements?.map({ $0.integer ?? -1 }) else {
            return Message(json: message, size: text.count)
        }
        messageBytes = text.count
        defer { messageBytes = 0 }
        let attachments = try numbers.map { number in
            let bytes = try attachment(number, by: deadline)
            messageBytes += bytes.count
            return bytes
        }
        return Message(json: try message.withBytes(from: attachments), size: messageBytes)
    }

    private func attachment(_ number: Int, by deadline: Deadline) throws -> [UInt8] {
        while let frame = try connection.frame(by: deadline) {
            switch frame.kind {
            case Frame.chunk, Frame.lastChunk:
                let received = try collect(frame, in: \.attachments, by: deadline)
                guard received == number else {
                    throw PeerFault("sent a chunk of number \(received) before attachment \(number) was complete")
                }
                if frame.kind == Frame.lastChunk { return attachments.removeValue(forKey: number) ?? [] }
            case Frame.credit: break
            case Frame.aborted: throw PeerFault("aborted attachment \(number)")
            default: throw PeerFault("sent a frame of kind \(frame.kind) before attachment \(number) was complete")
            }
        }
        throw PeerFault("closed the connection before attachment \(number) was complete")
    }

    /// Adds the bytes of a frame to its number, and grants as many.
    private func collect(
        _ frame: Frame, in numbers: ReferenceWritableKeyPath<MessageReader, [Int: [UInt8]]>, by deadline: Deadline
    ) throws -> Int {
        guard let number = frame.number, number > 0 else {
            throw PeerFault("sent a frame of kind \(frame.kind) without number")
        }
        self[keyPath: numbers][number, default: []] += frame.body
        let incomplete = (parts.values.map(\.count) + attachments.values.map(\.count)).reduce(0, +)
        guard messageBytes + incomplete <= maximumBytes else {
            throw PeerFault("sent more than \(maximumBytes) bytes in parts and attachments")
        }
        if isCreditNegotiated, !frame.body.isEmpty, frame.kind == Frame.chunk || frame.kind == Frame.part {
            let credit = Frame(kind: Frame.credit, number: number, payload: Frame.bigEndian(frame.body.count))
            try connection.send(credit, by: deadline)
        }
        return number
    }
}

extension JSONValue {
    /// The value with every `$bytes` that points to an attachment carrying its bytes as base64.
    fileprivate func withBytes(from attachments: [[UInt8]]) throws -> JSONValue {
        switch self {
        case .array(let elements): return .array(try elements.map { try $0.withBytes(from: attachments) })
        case .object(let members):
            guard let index = members["$bytes"]?["attachment"] else {
                return .object(JSONMembers(try members.map { ($0, try $1.withBytes(from: attachments)) }))
            }
            guard let index = index.integer, attachments.indices.contains(index), var bytes = members["$bytes"]?.members
            else {
                throw PeerFault("sent $bytes for attachment \(index.excerpt) of \(attachments.count)")
            }
            bytes["attachment"] = nil
            return [
                "$bytes": .object(
                    JSONMembers([("base64", .string(Data(attachments[index]).base64EncodedString()))] + bytes))
            ]
        default: return self
        }
    }

    /// The value with every `$bytes` pointing to an attachment, whose bytes are added to `attachments`.
    func extractingBytes(to attachments: inout [[UInt8]]) -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.extractingBytes(to: &attachments) })
        case .object(let members):
            guard var bytes = members["$bytes"]?.members, let text = bytes["base64"]?.text,
                let data = Data(base64Encoded: text)
            else {
                return .object(JSONMembers(members.map { ($0, $1.extractingBytes(to: &attachments)) }))
            }
            attachments.append(Array(data))
            bytes["base64"] = nil
            return ["$bytes": .object(JSONMembers([("attachment", .integer(attachments.count - 1))] + bytes))]
        default: return self
        }
    }
}
