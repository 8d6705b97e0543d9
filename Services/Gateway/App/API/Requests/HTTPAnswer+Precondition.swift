import HTTPTypes
import RPC

extension HTTPAnswer {
    /// The answer, or 412 for a client that wants only a representation that it knows, and this is another (`If-Match`, RFC 9110
    /// §13.1.1). Answers have no date of their last change, so `If-Unmodified-Since` is ignored.
    func matching(_ request: HTTPRequest, _ trace: TraceContext) -> HTTPAnswer {
        guard let field = request.headerFields[.ifMatch], request.method == .get || request.method == .head,
            [.ok, .partialContent, .notModified].contains(status)
        else { return self }
        let tag = fields[.eTag].flatMap(EntityTag.init(field:))
        guard tag?.isRequired(by: field) != true, tag != nil || !EntityTag.isStar(field) else { return self }
        let detail = "the present content has another entity tag than If-Match names"
        return HTTPAnswer(Problem(.invalidParams, detail, status: 412, trace: trace))
    }
}
