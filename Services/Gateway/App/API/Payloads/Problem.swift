import JSON
import RPC

/// The document for an error: `application/problem+json` (RFC 9457).
struct Problem: Sendable {
    static let contentType = "application/problem+json"

    let kind: ErrorKind

    /// The HTTP status code.
    let status: Int

    /// Contains no paths or addresses, because clients read it.
    let detail: String

    /// The trace id of the request, which the logs also have.
    let traceID: String?

    /// - Parameter status: the status code; nil for that of the kind.
    init(_ kind: ErrorKind, _ detail: String, status: Int? = nil, trace: TraceContext) {
        self.kind = kind
        self.status = status ?? kind.httpStatus
        self.detail = detail
        traceID = trace.id
    }

    var json: RawJSON { RawJSON(self, as: Self.codec) }

    /// The default type (RFC 9457): the title is that of the status. Programs read the kind instead.
    private static let type = "about:blank"

    static let schema = codec.schema

    private static let codec = Codec<Problem>.object { object in
        _ = object.required("type", .string) { _ in type }
        _ = object.required("title", .string) { HTTPStatus.phrase($0.status) }
        let status = object.required("status", .integer(), \.status)
        let detail = object.required("detail", .string, \.detail)
        let kind = object.required("kind", .oneOf, \.kind)
        let trace = object.optional("trace_id", .string, \.traceID)
        return { members throws(JSONError) in
            Problem(
                kind: try members[kind], status: try members[status], detail: try members[detail],
                traceID: try members[trace])
        }
    }

    private init(kind: ErrorKind, status: Int, detail: String, traceID: String?) {
        self.kind = kind
        self.status = status
        self.detail = detail
        self.traceID = traceID
    }
}
