import JSON

/// The known members of a JSON-RPC object. Unknown members are ignored.
///
/// Borrows the text that it was parsed from, as its reader does.
struct Envelope {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var isTwoPointZero = false
    private var id: Range<Int>?
    private var hasMethod = false
    /// Nil if the method is not a string.
    private var method: MemberName?
    private var params: Range<Int>?
    private var meta: Range<Int>?
    private var result: Range<Int>?
    private var error: Range<Int>?
    private var attachments: Range<Int>?

    init(_ reader: inout JSONReader) throws(JSONError) {
        bytes = reader.bytes
        var object = try reader.beginObject()
        while let name = try reader.nextMember(of: &object) {
            if reader.matches(name, "jsonrpc") {
                isTwoPointZero = try reader.skipString().map { reader.matches($0, "2.0") } ?? false
            } else if reader.matches(name, "id") {
                id = try reader.skipValue()
            } else if reader.matches(name, "method") {
                hasMethod = true
                method = try reader.skipString()
            } else if reader.matches(name, "params") {
                params = try reader.skipValue()
            } else if reader.matches(name, "meta") {
                meta = try reader.skipValue()
            } else if reader.matches(name, "result") {
                result = try reader.skipValue()
            } else if reader.matches(name, "error") {
                error = try reader.skipValue()
            } else if reader.matches(name, "attachments") {
                attachments = try reader.skipValue()
            } else {
                try reader.skipValue()
            }
        }
    }

    /// The object interpreted as a single message.
    var message: IncomingMessage {
        guard !hasMethod else { return .single(call) }
        do throws(JSONError) {
            return .response(try response)
        } catch {
            var call = call
            call.faultAsAnswer = "\(error)"
            return .single(call)
        }
    }

    /// The object interpreted as a request.
    var call: IncomingCall {
        let text = id.map { UnsafeBufferPointer(rebasing: bytes[$0]) }
        let id = text.flatMap { RequestID($0) }
        if let text, id == nil {
            let error = RPCError.invalidRequest("id", RequestID.mismatch(text))
            return IncomingCall(answer: .withoutID, content: .failure(error), attachments: numbers)
        }
        let answer = id.map(IncomingCall.Answer.to)
        do throws(RPCError) {
            return IncomingCall(answer: answer ?? .none, content: .request(try request), attachments: numbers)
        } catch {
            // A notification gets no answer, but an invalid request may not have been meant as a notification.
            let isNotification = id == nil && error.kind != .invalidRequest
            return IncomingCall(
                answer: isNotification ? .none : answer ?? .withoutID, content: .failure(error), attachments: numbers)
        }
    }

    private var numbers: AttachmentNumbers { AttachmentNumbers(attachments.map(raw)) }

    private var request: Request {
        get throws(RPCError) {
            guard isTwoPointZero else {
                throw RPCError(.invalidRequest, "jsonrpc: must be \"2.0\"", begun: false)
            }
            guard hasMethod else { throw RPCError(.invalidRequest, "method: is missing", begun: false) }
            guard let method else { throw RPCError(.invalidRequest, "method: must be a string", begun: false) }
            let name = JSONReader(trusting: bytes).decode(method, atMost: Limits.encodedBytes(over: Limits.methodBytes))
            return Request(method: name, params: try checkedParams, meta: try checkedMeta)
        }
    }

    private var checkedParams: RawJSON {
        get throws(RPCError) {
            guard let params else { return .emptyObject }
            switch bytes[params.lowerBound] {
            case UInt8(ascii: "{"): return raw(params)
            case UInt8(ascii: "["):
                throw RPCError(.invalidParams, "params: must be an object (they are named), is an array", begun: false)
            default: throw RPCError(.invalidRequest, "params: must be an object, is \(raw(params).brief)", begun: false)
            }
        }
    }

    private var checkedMeta: RequestMeta {
        get throws(RPCError) {
            guard let meta else { return .none }
            do throws(JSONError) {
                return try read(meta, as: RequestMeta.codec)
            } catch {
                throw RPCError(.invalidParams, "\(error.inside("meta"))", begun: false)
            }
        }
    }

    /// - Throws: when the object is no valid response.
    private var response: Response {
        get throws(JSONError) {
            guard isTwoPointZero else { throw .mismatch(path: "jsonrpc", reason: "must be \"2.0\"") }
            let id = id.flatMap { RequestID(UnsafeBufferPointer(rebasing: bytes[$0])) }
            switch (result, error) {
            case (let result?, nil): return Response(id: id, outcome: .success(raw(result)), attachments: numbers)
            case (nil, let error?):
                do throws(JSONError) {
                    let error = try read(error, as: RPCError.codec)
                    return Response(id: id, outcome: .failure(error), attachments: numbers)
                } catch {
                    throw error.inside("error")
                }
            case (_?, _?): throw .refused("an answer with both a result and an error")
            case (nil, nil): throw .refused("an answer with neither a result nor an error")
            }
        }
    }

    private func raw(_ range: Range<Int>) -> RawJSON { RawJSON(unchecked: Array(bytes[range])) }

    private func read<Value>(_ range: Range<Int>, as codec: Codec<Value>) throws(JSONError) -> Value {
        var reader = JSONReader(trusting: bytes, at: range.lowerBound)
        return try codec.read(&reader)
    }
}

extension RPCError {
    fileprivate static func invalidRequest(_ member: String, _ error: JSONError) -> RPCError {
        RPCError(.invalidRequest, "\(error.inside(member))", begun: false)
    }
}
