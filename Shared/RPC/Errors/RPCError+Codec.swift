import JSON

extension RPCError {
    /// The `error` member of a response: `{code, message, data:{kind, retryable, begun, …}}`.
    static let codec = Codec<RPCError>.object { object in
        let code = object.required("code", .integer(), \.kind.code)
        let message = object.required("message", .string, \.message)
        let data = object.optional("data", ErrorData.codec, ErrorData.init)
        return { members throws(JSONError) in
            let data = try members[data]
            let kind = ErrorKind(code: try members[code])
            return RPCError(
                data?.kind ?? kind, try members[message], begun: data?.begun ?? true,
                retryAfter: data?.retryAfter, service: data?.service, details: data?.details)
        }
    }
}

extension ErrorKind {
    /// What a peer means that sends nothing but a code; codes that nobody has defined are faults of that peer.
    fileprivate init(code: Int) {
        self = Self.allCases.first { $0.code == code } ?? .internalError
    }
}

/// What JSON-RPC leaves to the application, with a default for whatever a plain peer leaves out. What has none of these
/// members, or one of another type, is a foreign peer's: it is kept as `details`.
private struct ErrorData: Sendable {
    let kind: ErrorKind?
    let retryable: Bool?
    let begun: Bool?
    let retryAfter: Int?
    let service: String?
    let details: RawJSON?

    static let codec = Codec<RawJSON>.any.map(
        into: { json throws(JSONError) in
            guard let data = try? json.read(as: members), !data.isEmpty else { return ErrorData(foreign: json) }
            return data
        },
        from: { RawJSON($0, as: members) })

    private static let members = Codec<ErrorData>.object { object in
        // A kind of a later version is no reason to refuse the whole answer.
        let kind = object.optional("kind", .string, \.kind?.rawValue)
        let retryable = object.optional("retryable", .boolean, \.retryable)
        let begun = object.optional("begun", .boolean, \.begun)
        let retryAfter = object.optional("retry_after_ms", .integer(0 ... .max), \.retryAfter)
        let service = object.optional("service", .string, \.service)
        let details = object.optional("details", .any, \.details)
        return { members throws(JSONError) in
            ErrorData(
                kind: try members[kind].flatMap(ErrorKind.init(rawValue:)), retryable: try members[retryable],
                begun: try members[begun], retryAfter: try members[retryAfter], service: try members[service],
                details: try members[details])
        }
    }

    init(
        kind: ErrorKind?, retryable: Bool?, begun: Bool?, retryAfter: Int?, service: String?, details: RawJSON?
    ) {
        self.kind = kind
        self.retryable = retryable
        self.begun = begun
        self.retryAfter = retryAfter
        self.service = service
        self.details = details
    }

    /// Whether none of the members is there.
    private var isEmpty: Bool {
        kind == nil && retryable == nil && begun == nil && retryAfter == nil && service == nil && details == nil
    }

    private init(foreign json: RawJSON) {
        // A forwarder's caller must be able to read it where it is then: in `[{"error":{"data":{"details":…}}}]`.
        let isShallow = (try? RawJSON(checking: "[[[[\(json)]]]]")) != nil
        self.init(
            kind: nil, retryable: nil, begun: nil, retryAfter: nil, service: nil, details: isShallow ? json : nil)
    }

    init(_ error: RPCError) {
        self.init(
            kind: error.kind, retryable: error.kind.isRetryable, begun: error.begun, retryAfter: error.retryAfter,
            service: error.service, details: error.details)
    }
}
