import Foundation
import JSON
import NIOCore

@testable import RPC

/// Parses texts as values and messages.
enum TextFuzz {
    static func check(_ text: ByteBuffer) throws {
        let message = Result { () throws(RPCError) in try MessageParser.parse(text) }
        let json: RawJSON
        do throws(JSONError) {
            json = try RawJSON(checking: text.readableBytesView)
        } catch {
            guard case .syntax = error else { throw FuzzFinding(description: "refused for: \(error)") }
            return try FuzzFinding.unless(message.errorKind == .parseError, "invalid JSON was accepted as a message")
        }
        try FuzzFinding.unless(message.errorKind != .parseError, "valid JSON is a parse error as a message")
        try check(json)
        if case .success(let message) = message { try check(message) }
    }

    // MARK: Values

    private static func check(_ json: RawJSON) throws {
        let tree = try JSONTree(json)
        let trusted = try json.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(trusting: bytes)
            return try JSONTree(&reader)
        }
        try FuzzFinding.unless(tree == trusted, "the trusting reader reads something else")
        let skipped = try json.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(trusting: bytes)
            return try reader.skipValue()
        }
        try FuzzFinding.unless(skipped == 0..<json.bytes.count, "the trusting reader skips something else")
        var writer = JSONWriter()
        tree.write(to: &writer)
        let written = try RawJSON(checking: writer.bytes)
        let again = try JSONTree(written)
        try FuzzFinding.unless(tree == again, "a value changes when it is written and read")
        try FoundationOracle.check(json, tree)
        try checkCodecs(json)
    }

    /// The types that the runtime itself reads.
    private static func checkCodecs(_ json: RawJSON) throws {
        try checkCodec(.integer(), json)
        try checkCodec(.number(), json)
        try checkCodec(.boolean, json)
        try checkCodec(.uuid, json)
        try checkCodec(Bytes.codec, json)
        try checkCodec(RequestMeta.codec, json)
        try checkCodec(RPCError.codec, json)
        try checkCodec(Cancel.codec, json)
        try checkCodec(Grant.codec, json)
        try checkCodec(StreamItem.codec, json)
        try checkCodec(ProtocolMethods.hello.params, json)
        try checkCodec(ProtocolMethods.hello.answer, json)
        try checkCodec(ProtocolMethods.health.answer, json)
        try checkCodec(ProtocolMethods.stats.answer, json)
        let attachments = [Attachment(Data([1, 2, 3]), crc32: nil), Attachment(Data(), crc32: 0)]
        let inlined = Payload(json, attachments: attachments).inlined
        try FuzzFinding.unless((try? RawJSON(checking: inlined.bytes)) != nil, "invalid JSON after inlining bytes")
    }

    private static func checkCodec<Value>(_ codec: Codec<Value>, _ json: RawJSON) throws {
        guard let value = try? json.read(as: codec) else { return }
        let written = try RawJSON(checking: RawJSON(value, as: codec).bytes)
        let again = RawJSON(try written.read(as: codec), as: codec)
        // The members of a dictionary may be in any order.
        try FuzzFinding.unless(
            written.bytes.count == again.bytes.count, "\(Value.self) differs after it was written and read")
    }

    // MARK: Messages

    private static func check(_ message: IncomingMessage) throws {
        switch message {
        case .single(let call): try check(call)
        case .batch(let calls):
            try FuzzFinding.unless((1...Limits.batchMembers).contains(calls.count), "a batch of \(calls.count)")
            for call in calls { try check(call) }
        case .response(let response):
            if case .success(let result) = response.outcome { _ = try RawJSON(checking: result.bytes) }
            _ = try? response.attachments.read()
        }
    }

    private static func check(_ call: IncomingCall) throws {
        if case .to(let id) = call.answer {
            let again = try RawJSON(checking: id.spelling.bytes).read(as: RequestID.codec)
            try FuzzFinding.unless(again == id, "an id changes when it is echoed")
        }
        guard case .request(let request) = call.content else { return }
        let params = try RawJSON(checking: request.params.bytes)
        try FuzzFinding.unless(params.bytes.first == UInt8(ascii: "{"), "parameters are not an object")
        if let numbers = try? call.attachments.read() {
            try FuzzFinding.unless(
                numbers.count <= OutgoingSchedule.attachmentLimit && !numbers.contains(0), "bad numbers were accepted")
        }
    }
}

extension Result where Failure == RPCError {
    fileprivate var errorKind: ErrorKind? { if case .failure(let error) = self { error.kind } else { nil } }
}
