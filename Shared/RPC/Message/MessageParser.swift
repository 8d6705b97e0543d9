import JSON
import NIOCore

/// Parses the envelope of a message in one pass. Parameters and results are validated as JSON in the same pass and
/// stored as text.
enum MessageParser {
    /// - Throws: `parse_error` when the text is not JSON, `invalid_request` when it is neither an object nor a batch.
    static func parse(_ text: ByteBuffer) throws(RPCError) -> IncomingMessage {
        do throws(JSONError) {
            return try text.withUnsafeReadableBytes { raw throws(JSONError) in
                var reader = JSONReader(checking: raw.bindMemory(to: UInt8.self))
                let message = try parse(&reader)
                try reader.end()
                return message
            }
        } catch .syntax(let reason, let offset) {
            throw RPCError(.parseError, "the body is not JSON: \(reason) at byte \(offset)", begun: false)
        } catch {
            throw RPCError(.invalidRequest, "\(error)", begun: false)
        }
    }

    private static func parse(_ reader: inout JSONReader) throws(JSONError) -> IncomingMessage {
        switch try reader.peek() {
        case .object:
            return try Envelope(&reader).message
        case .array:
            var members: [IncomingCall] = []
            var array = try reader.beginArray()
            while try reader.nextElement(of: &array) {
                if array.count > Limits.batchMembers {
                    try reader.skipValue()
                } else if try reader.peek() == .object {
                    members.append(try Envelope(&reader).call)
                } else {
                    try reader.skipValue()
                    members.append(.notARequest)
                }
            }
            guard (1...Limits.batchMembers).contains(array.count) else {
                try reader.end()
                throw .refused("a batch must have 1 to \(Limits.batchMembers) members, this one has \(array.count)")
            }
            return .batch(members)
        default:
            try reader.skipValue()
            try reader.end()
            throw .refused("a message must be an object or a batch of objects")
        }
    }
}

extension IncomingCall {
    fileprivate static let notARequest = IncomingCall(
        answer: .withoutID,
        content: .failure(RPCError(.invalidRequest, "a member of a batch must be an object", begun: false)))
}
