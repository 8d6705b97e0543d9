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
    /// Makes the error for a plain peer that sends only a code. Undefined codes count as that peer's internal error.
    fileprivate init(code: Int) {
        self = Self.allCases.first { $0.code == code } ?? .internalError
    }
}

/// The `data` member that JSON-RPC leaves to the application, with defaults for members that a plain peer omits. Data
/// without any of these members, or with one of another type, comes from a foreign peer and is stored as `details`.
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
        // A kind of a later version must not invalidate the whole answer.
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

    /// Whether all members are absent.
    private var isEmpty: Bool {
        kind == nil && retryable == nil && begun == nil && retryAfter == nil && service == nil && details == nil
    }

    private init(foreign json: RawJSON) {
        // A forwarder's caller must be able to parse it nested in `[{"error":{"data":{"details":…}}}]`.
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
