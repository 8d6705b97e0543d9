import JSON

/// The members of a JSON-RPC object that mean something, as they were found. Unknown members are ignored.
///
/// Borrows the text that it was read from, as its reader does.
struct Envelope {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var version: Range<Int>?
    private var id: Range<Int>?
    private var method: Range<Int>?
    private var params: Range<Int>?
    private var meta: Range<Int>?
    private var result: Range<Int>?
    private var error: Range<Int>?
    private var attachments: Range<Int>?

    init(_ reader: inout JSONReader) throws(JSONError) {
        bytes = reader.bytes
        var object = try reader.beginObject()
        while let name = try reader.nextMember(of: &object) {
            let value = try reader.skipValue()
            if reader.matches(name, "jsonrpc") {
                version = value
            } else if reader.matches(name, "id") {
                id = value
            } else if reader.matches(name, "method") {
                method = value
            } else if reader.matches(name, "params") {
                params = value
            } else if reader.matches(name, "meta") {
                meta = value
            } else if reader.matches(name, "result") {
                result = value
            } else if reader.matches(name, "error") {
                error = value
            } else if reader.matches(name, "attachments") {
                attachments = value
            }
        }
    }

    /// What the object is as a message of its own.
    var message: IncomingMessage {
        guard method == nil else { return .single(call) }
        do throws(JSONError) {
            return .response(try response)
        } catch {
            var call = call
            call.faultAsAnswer = "\(error)"
            return .single(call)
        }
    }

    /// What the object is as a request.
    var call: IncomingCall {
        let id: RequestID?
        do throws(JSONError) {
            id = try self.id.map { range throws(JSONError) in try read(range, as: RequestID.codec) }
        } catch {
            return IncomingCall(
                answer: .withoutID, content: .failure(.invalidRequest("id", error)), attachments: numbers)
        }
        let answer = id.map(IncomingCall.Answer.to)
        do throws(RPCError) {
            return IncomingCall(answer: answer ?? .none, content: .request(try request), attachments: numbers)
        } catch {
            // A notification gets no answer, but what is not even a request may have been meant as one.
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
            guard let method else { throw RPCError(.invalidRequest, "method: is missing", begun: false) }
            let name: String
            do throws(JSONError) {
                name = try read(method, as: .string)
            } catch {
                throw .invalidRequest("method", error)
            }
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
            let id = id.flatMap { try? read($0, as: RequestID.codec) }
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

    private var isTwoPointZero: Bool {
        guard let version else { return false }
        var reader = JSONReader(trusting: bytes, at: version.lowerBound)
        return (try? reader.isString("2.0")) == true
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
