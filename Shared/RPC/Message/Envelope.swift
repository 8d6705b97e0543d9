import NIOCore

/// The members of a JSON-RPC object that mean something, as they were found. Unknown members are ignored.
struct Envelope {
    private var version: RawJSON?
    private var id: RawJSON?
    private var method: RawJSON?
    private var params: RawJSON?
    private var meta: RawJSON?
    private var result: RawJSON?
    private var error: RawJSON?
    private var attachments: RawJSON?

    init(_ reader: inout JSONReader, _ text: ByteBuffer) throws(JSONError) {
        var found = Self()
        try reader.object { reader, name throws(JSONError) in
            let value = RawJSON(unchecked: text.slice(try reader.skipValue()))
            switch reader.decode(name) {
            case "jsonrpc": found.version = value
            case "id": found.id = value
            case "method": found.method = value
            case "params": found.params = value
            case "meta": found.meta = value
            case "result": found.result = value
            case "error": found.error = value
            case "attachments": found.attachments = value
            default: break
            }
        }
        self = found
    }

    private init() {}

    /// What the object is as a message of its own.
    var message: IncomingMessage {
        if method == nil, result != nil || error != nil, let response { return .response(response) }
        return .single(call)
    }

    /// What the object is as a request.
    var call: IncomingCall {
        let id: RequestID?
        do throws(JSONError) {
            id = try self.id?.read(as: RequestID.shape)
        } catch {
            return IncomingCall(
                answer: .withoutID, content: .failure(.invalidRequest("id", error)), attachments: numbers)
        }
        let answer = id.map(IncomingCall.Answer.to)
        do throws(RPCError) {
            return IncomingCall(answer: answer ?? .none, content: .request(try request))
        } catch {
            // A notification gets no answer, but what is not even a request may have been meant as one.
            let isNotification = id == nil && error.kind != .invalidRequest
            return IncomingCall(
                answer: isNotification ? .none : answer ?? .withoutID, content: .failure(error), attachments: numbers)
        }
    }

    private var numbers: AttachmentNumbers { AttachmentNumbers(attachments) }

    private var request: Request {
        get throws(RPCError) {
            guard version?.isTwoPointZero == true else {
                throw RPCError(.invalidRequest, "jsonrpc: must be \"2.0\"", begun: false)
            }
            guard let method else { throw RPCError(.invalidRequest, "method: is missing", begun: false) }
            let name: String
            do throws(JSONError) {
                name = try method.read(as: .string)
            } catch {
                throw .invalidRequest("method", error)
            }
            return Request(
                method: name, params: try checkedParams, meta: try checkedMeta, attachments: numbers)
        }
    }

    private var checkedParams: RawJSON {
        get throws(RPCError) {
            guard let params else { return .emptyObject }
            switch params.text.readableBytesView.first {
            case UInt8(ascii: "{"): return params
            case UInt8(ascii: "["):
                throw RPCError(.invalidParams, "params: must be an object (they are named), is an array", begun: false)
            default: throw RPCError(.invalidRequest, "params: must be an object, is \(params.brief)", begun: false)
            }
        }
    }

    private var checkedMeta: RequestMeta {
        get throws(RPCError) {
            guard let meta else { return .none }
            do throws(JSONError) {
                return try meta.read(as: RequestMeta.shape)
            } catch {
                throw RPCError(.invalidParams, "\(error.inside("meta"))", begun: false)
            }
        }
    }

    /// Nil when the object is no valid response.
    private var response: Response? {
        guard version?.isTwoPointZero == true else { return nil }
        let id = id.flatMap(RequestID.init)
        if let result {
            return error == nil ? Response(id: id, outcome: .success(result), attachments: numbers) : nil
        }
        guard let error = try? error?.read(as: RPCError.shape) else { return nil }
        return Response(id: id, outcome: .failure(error), attachments: numbers)
    }
}

extension RawJSON {
    fileprivate var isTwoPointZero: Bool { (try? read(as: .string)) == "2.0" }
}

extension RPCError {
    fileprivate static func invalidRequest(_ member: String, _ error: JSONError) -> RPCError {
        RPCError(.invalidRequest, "\(error.inside(member))", begun: false)
    }
}
