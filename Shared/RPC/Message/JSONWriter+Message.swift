import JSON

extension JSONWriter {
    /// A request, or a notification when there is no id.
    mutating func request(
        id: Int?, method: String, meta: RequestMeta = .none, params: (inout JSONWriter) -> Void
    ) {
        object { writer in
            writer.version()
            if let id {
                writer.name(encoded: Self.idName)
                writer.integer(id)
            }
            writer.name(encoded: Self.methodName)
            writer.string(method)
            writer.name(encoded: Self.paramsName)
            params(&writer)
            if meta != .none {
                writer.name(encoded: Self.metaName)
                RequestMeta.codec.write(meta, &writer)
            }
        }
    }

    /// A response; the id is nil when the request's could not be read.
    mutating func response(id: RequestID?, _ outcome: Result<Reply, RPCError>) {
        object { writer in
            writer.version()
            writer.name(encoded: Self.idName)
            if let id { id.write(to: &writer) } else { writer.null() }
            switch outcome {
            case .success(let reply):
                writer.name(encoded: Self.resultName)
                reply.write(&writer)
            case .failure(let error):
                writer.name(encoded: Self.errorName)
                RPCError.codec.write(error, &writer)
            }
        }
    }

    /// An item of the stream with this id.
    mutating func item(of id: RequestID, _ item: (inout JSONWriter) -> Void) {
        request(id: nil, method: ProtocolMethods.itemName) { writer in
            writer.object { writer in
                writer.name(encoded: Self.idName)
                writer.raw(id.spelling)
                writer.name(encoded: Self.itemName)
                item(&writer)
            }
        }
    }

    private mutating func version() {
        name(encoded: Self.versionName)
        raw(Self.twoPointZero)
    }

    private static let twoPointZero = RawJSON("2.0", as: .string)
    private static let versionName = Array("\"jsonrpc\"".utf8)
    private static let idName = Array("\"id\"".utf8)
    private static let itemName = Array("\"item\"".utf8)
    private static let methodName = Array("\"method\"".utf8)
    private static let paramsName = Array("\"params\"".utf8)
    private static let metaName = Array("\"meta\"".utf8)
    private static let resultName = Array("\"result\"".utf8)
    private static let errorName = Array("\"error\"".utf8)
}
