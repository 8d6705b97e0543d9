import HTTPTypes
import Presentation
import RPC

extension Pages {
    /// The page for an error: what it means for the reader, and one thing to do.
    /// - Returns: nil for a client that does not prefer HTML, or asks the API; it gets a problem document.
    func refusal(_ error: RPCError, _ request: HTTPRequest, _ trace: TraceContext) -> HTTPAnswer? {
        guard let whole = try? RequestTarget(request.path ?? ""),
            case let target = whole.below(publicURL.path) ?? whole, target.path.first != "v1",
            Self.prefersHTML(request.headerFields[.accept] ?? "")
        else {
            return nil
        }
        let reader = Reader(request, target)
        let texts = Texts(reader.language)
        let presented = error.presented(in: reader.language)
        let message =
            error.kind == .notFound
            ? texts[.pageMissing] : ErrorPresenter.message(for: error.kind.rawValue, language: reader.language)
        let frame = Frame(
            title: message, description: gateway.site.description(in: reader.language), canonicalPath: "/",
            kind: "error")
        let model: [String: Any?] = [
            "message": message,
            // Only a message about the request helps the reader.
            "detail": error.kind == .invalidParams ? presented.message : nil,
            "retry": error.kind.httpStatus >= 500 || error.kind == .overloaded ? path(target.without([])) : nil,
            "trace": trace.id.map { texts.text(.traceID, $0) },
        ]
        var answer = page("error", frame, model, HTTPStatus.of(error.kind.httpStatus), for: reader)
        answer.note(error)
        return answer
    }

    /// Whether a client prefers HTML, as browsers do that open a page.
    static func prefersHTML(_ accept: String) -> Bool {
        let list = WeightedList(accept)
        return (list["text/html"] ?? 0) > max(list["application/json"] ?? 0, list["application/problem+json"] ?? 0)
    }
}
