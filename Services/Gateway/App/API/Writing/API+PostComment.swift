import CommentsContract
import Foundation
import HTTPTypes
import JSON
import NIOCore
import RPC

extension API {
    /// Stores a comment, and answers with it.
    func postComment(on imageID: UUID, _ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        let trace = request.options.trace
        guard !request.head.comesFromOtherSite(than: publicURL) else {
            throw RPCError(.permissionDenied, "comments from pages of other sites are refused", begun: false)
        }
        guard let body = try PostBody(request) else {
            let detail = "the Content-Type must be application/json or application/x-www-form-urlencoded"
            return HTTPAnswer(Problem(.invalidRequest, detail, status: 415, trace: trace))
        }
        guard let writeToken else {
            throw RPCError(
                .permissionDenied, "this deployment accepts no comments over HTTP: it has no token", begun: false)
        }
        let formToken = try body.token
        guard let given = request.head.bearerToken ?? formToken, writeToken.matches(given) else {
            var answer = HTTPAnswer(
                Problem(.permissionDenied, "the bearer token is missing or wrong", status: 401, trace: trace))
            answer.fields[.wwwAuthenticate] = "Bearer"
            return answer
        }
        let new = try body.comment()
        let comment = try await gateway.comments.post(
            PostComment(imageID: imageID, message: new.message, username: new.username, id: new.id), request.options)
        var answer = HTTPAnswer(.created)
        answer.fields[.contentType] = "application/json"
        answer.fields[.cacheControl] = "no-store"
        answer.fields[.location] = "\(publicURL.comments(imageID))#\(comment.id.uuidString)"
        answer.body = ByteBuffer(bytes: RawJSON(comment, as: Comment.codec).bytes)
        return answer
    }
}

/// The body of a post: JSON, or a form, which may have the token of a reader in it.
enum PostBody {
    case json(ByteBuffer)
    case form(Query)

    /// - Returns: nil for another media type.
    /// - Throws: `invalid_params` for a form that is not UTF-8.
    init?(_ request: EndpointRequest) throws(RPCError) {
        let type = request.head.headerFields[.contentType] ?? ""
        switch type.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased() {
        case "application/json": self = .json(request.body)
        case "application/x-www-form-urlencoded":
            guard let text = String(validating: request.body.readableBytesView, as: UTF8.self) else {
                throw RPCError(.invalidParams, "the form must be UTF-8", begun: false)
            }
            self = .form(Query(form: text))
        default: return nil
        }
    }

    /// The token in a form.
    var token: String? {
        get throws(RPCError) {
            guard case .form(let fields) = self else { return nil }
            return try fields.text("token")
        }
    }

    func comment() throws(RPCError) -> NewComment {
        switch self {
        case .json(let bytes): try NewComment(json: bytes)
        case .form(let fields): try NewComment(form: fields)
        }
    }
}

extension HTTPRequest {
    /// The token of the header `Authorization: Bearer TOKEN`.
    var bearerToken: String? {
        let parts = (headerFields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
    }

    /// Whether a browser sends the request for a page of another site. Other clients send neither field.
    func comesFromOtherSite(than publicURL: PublicURL) -> Bool {
        if let site = headerFields["Sec-Fetch-Site"], !["same-origin", "none"].contains(site) { return true }
        guard let origin = headerFields[.origin] else { return false }
        let own = [publicURL.origin] + ["http", "https"].map { "\($0)://\(authority ?? "")" }
        return !own.contains(origin.lowercased())
    }
}
