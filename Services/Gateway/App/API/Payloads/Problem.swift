import JSON
import RPC

/// What a client gets instead of what it asked for: `application/problem+json` (RFC 9457).
struct Problem: Sendable {
    let kind: ErrorKind

    /// Of the answer; nil: as the kind has it.
    let status: Int

    /// Names no path and no address: anybody may read it.
    let detail: String

    /// Of the request, to be found in the logs.
    let traceID: String?

    /// - Parameter status: where HTTP has a code of its own for what we have no kind for.
    init(_ kind: ErrorKind, _ detail: String, status: Int? = nil, trace: TraceContext) {
        self.kind = kind
        self.status = status ?? kind.httpStatus
        self.detail = detail
        traceID = trace.id
    }

    var json: RawJSON { RawJSON(self, as: Self.codec) }

    /// Of the same words as the status: the type says nothing more, and the kind is for programs.
    private static let type = "about:blank"

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
