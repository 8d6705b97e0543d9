import CommentsContract
import Foundation
import HTTPTypes
import JSON
import NIOCore
import Presentation
import RPC

extension API {
    /// Stores a comment. A client of the API gets the stored comment. A browser that has sent the form of the page gets the
    /// page again: with the comment, or with the reason of the refusal.
    func postComment(on imageID: UUID, _ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        guard !request.head.comesFromOtherSite(than: publicURL) else { throw .otherSite }
        guard let body = try PostBody(request) else {
            let detail =
                "the Content-Type must be application/json or application/x-www-form-urlencoded, without a Content-Encoding"
            return HTTPAnswer(Problem(.invalidRequest, detail, status: 415, trace: request.options.trace))
        }
        let isPage = body.isForm && Pages.prefersHTML(request.head.headerFields[.accept] ?? "")
        switch await stored(body, imageID, request) {
        case .success(let comment):
            guard isPage else { return created(comment, on: imageID) }
            let cursor = await pages.cursor(before: comment.id, on: imageID, request.options)
            return pages.shown(comment, on: imageID, after: cursor, beginsSession: body.givenToken != nil)
        case .failure(let refusal):
            if isPage { return try await pages.refused(body, refusal, on: imageID, request) }
            return HTTPAnswer(refusal, trace: request.options.trace)
        }
    }

    private func stored(
        _ body: PostBody, _ imageID: UUID, _ request: EndpointRequest
    ) async -> Result<Comment, PostRefusal> {
        let token = request.head.bearerToken ?? body.givenToken
        // A session counts for forms only: other clients have a token.
        let hasSession = token == nil && body.isForm && pages.hasSession(request.head)
        if !hasSession, let refusal = refusal(ofToken: token) { return .failure(refusal) }
        do throws(RPCError) {
            let new = try body.comment()
            let comment = PostComment(imageID: imageID, message: new.message, username: new.username, id: new.id)
            return .success(try await gateway.comments.post(comment, request.options))
        } catch {
            return .failure(PostRefusal(error: error))
        }
    }

    /// Why a request with this token may not write; nil when it may.
    func refusal(ofToken token: String?) -> PostRefusal? {
        guard let grant = access.current else {
            let detail =
                "this deployment accepts no writes over HTTP, because it has no token; its operator can write one into "
                + "ROOT/http-token"
            return PostRefusal(error: RPCError(.permissionDenied, detail, begun: false), fault: .noToken)
        }
        guard let token, grant.token.matches(token) else {
            let error = RPCError(.permissionDenied, "the bearer token is missing or wrong", begun: false)
            return PostRefusal(error: error, fault: .wrongToken)
        }
        return nil
    }

    private func created(_ comment: Comment, on imageID: UUID) -> HTTPAnswer {
        var answer = HTTPAnswer(.created)
        answer.fields[.contentType] = "application/json"
        answer.fields[.cacheControl] = "no-store"
        answer.fields[.location] = "\(publicURL.comments(imageID))#\(comment.id.uuidString)"
        answer.body = ByteBuffer(bytes: RawJSON(comment, as: Comment.codec).bytes)
        return answer
    }
}

extension RPCError {
    /// The refusal of a write that a browser sends for a page of another site.
    static let otherSite = RPCError(
        .permissionDenied, "writes from pages of other sites are refused", begun: false)
}

extension HTTPAnswer {
    /// The problem document of a refused write.
    init(_ refusal: PostRefusal, trace: TraceContext) {
        self.init(refusal.error, trace: trace)
        // Other messages may come from a service, and are replaced by a general one.
        guard refusal.fault != nil else { return }
        status = HTTPStatus.of(refusal.status)
        body = ByteBuffer(bytes: refusal.problem(trace).json.bytes)
        if refusal.isUnauthorized { fields[.wwwAuthenticate] = "Bearer" }
    }
}

/// Why a write was refused.
struct PostRefusal: Error {
    let error: RPCError

    /// What is wrong with the token; nil for another reason. RPC has no such kinds, because its callers have no tokens.
    var fault: TokenFault?

    enum TokenFault {
        /// The deployment has none.
        case noToken
        /// The request has none, or a wrong one.
        case wrongToken
    }

    var isUnauthorized: Bool { fault == .wrongToken }

    /// The HTTP status.
    var status: Int { isUnauthorized ? 401 : error.kind.httpStatus }

    func problem(_ trace: TraceContext) -> Problem { Problem(error.kind, error.message, status: status, trace: trace) }
}

extension Pages {
    /// The answer to a form whose comment was stored: leads to the comment.
    /// - Parameters:
    ///   - cursor: selects the page of comments that has the comment.
    ///   - beginsSession: whether the next form needs no token.
    fileprivate func shown(
        _ comment: Comment, on imageID: UUID, after cursor: UUID?, beginsSession: Bool
    ) -> HTTPAnswer {
        let query = cursor.map { "?after_id=\($0.uuidString)" } ?? ""
        var answer = HTTPAnswer.seeOther(
            path("/image/\(imageID.uuidString)\(query)#comment-\(comment.id.uuidString)"))
        if beginsSession, let sessions {
            let secure = publicURL.description.hasPrefix("https:") ? "; Secure" : ""
            answer.fields[.setCookie] =
                "\(sessions.cookieName)=\(sessions.begin(gateway.now())); Path=\(publicURL.cookiePath); "
                + "Max-Age=\(Int(Sessions.lifetime)); HttpOnly; SameSite=Strict" + secure
        }
        return answer
    }

    /// The page of the image with the form as the reader has typed it, and the reason of the refusal.
    fileprivate func refused(
        _ body: PostBody, _ refusal: PostRefusal, on imageID: UUID, _ request: EndpointRequest
    ) async throws(RPCError) -> HTTPAnswer {
        let reader = Reader(request.head, request.target)
        let texts = Texts(reader.language)
        let reason =
            refusal.isUnauthorized
            ? texts[.formTokenWrong]
            : refusal.error.kind == .invalidParams
                ? texts[.formInvalid] : refusal.error.presented(in: reader.language).message
        let form = CommentForm(
            username: body.field("username"), message: body.field("message"), error: reason,
            needsToken: refusal.isUnauthorized)
        var answer = try await comments(
            of: imageID, form: form, status: HTTPStatus.of(refusal.status), reader, request.options)
        answer.note(refusal.error)
        return answer
    }
}
