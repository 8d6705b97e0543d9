import JSON

extension JSONWriter {
    /// Writes a request, or a notification if there is no id.
    mutating func request(
        id: Int?, method: String, meta: RequestMeta = .none, params: (inout JSONWriter) -> Void
    ) {
        // Every call has a request, so the constant text is appended in one piece.
        if let id {
            beginning(encoded: Self.requestWithID)
            integer(id)
            beginning(encoded: Self.methodOfRequest)
        } else {
            beginning(encoded: Self.notification)
        }
        string(method)
        beginning(encoded: Self.paramsOfRequest)
        params(&self)
        if meta != .none {
            beginning(encoded: Self.metaOfRequest)
            meta.write(to: &self)
        }
        endObject()
    }

    private static let requestWithID = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    private static let methodOfRequest = Array(#","method":"#.utf8)
    private static let notification = Array(#"{"jsonrpc":"2.0","method":"#.utf8)
    private static let paramsOfRequest = Array(#","params":"#.utf8)
    private static let metaOfRequest = Array(#","meta":"#.utf8)

    /// Writes a response; the id is nil when the request's could not be read.
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

    /// Writes an item of the stream with this id.
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

    private mutating func version() { raw(Self.versionMember) }

    private static let versionMember = RawJSON(unchecked: Array("\"jsonrpc\":\"2.0\"".utf8))
    private static let idName = Array("\"id\"".utf8)
    private static let itemName = Array("\"item\"".utf8)
    private static let resultName = Array("\"result\"".utf8)
    private static let errorName = Array("\"error\"".utf8)
}
