import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

@Suite struct PostCommentRouteTests {
    private static let image = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
    private static let target = "/v1/image/\(image)/comments"
    private static let token = "a-token-of-16-chars"
    private static let json = ["Content-Type: application/json", "Authorization: Bearer \(token)"]
    private static let form = "Content-Type: application/x-www-form-urlencoded"
    private static let comment = #"{"message":"so","username":"ana"}"#

    /// Services that store comments.
    private static let services: FakeServices = {
        var services = FakeServices()
        services.get = { selection, _ in FeedItem(id: selection.id, image: "https://example.org/a.png") }
        services.post = { new, _ in
            guard let id = new.id else { throw RPCError(.internalError, "no id") }
            return SentComment(
                id: id, message: new.message, createdAt: noon, author: .init(username: new.username))
        }
        return services
    }()

    private func posting(
        to services: FakeServices = services, _ fields: [String], _ body: String, token: String? = token,
        _ check: @Sendable (HTTPReply) throws -> Void
    ) async throws {
        try await RunningAPI.with(services, writeToken: token.flatMap(WriteToken.init)) { api in
            try check(try await api.post(Self.target, fields, body))
        }
    }

    @Test func `a comment in JSON is stored and answered with its location`() async throws {
        let id = "00000000-0000-0000-0000-000000000007"
        try await posting(Self.json, #"{"message":" so ","username":"ana","id":"\#(id)"}"#) { reply in
            #expect(reply.status == 201)
            #expect(reply["Location"]?.hasSuffix("\(Self.target)#\(id)") == true)
            #expect(
                reply.text == """
                    {"id":"\(id)","message":"so","created_at":"2026-03-01T12:00:00Z","author":{"username":"ana"}}
                    """)
        }
    }

    @Test func `a form has the same fields`() async throws {
        try await posting(
            [Self.form + "; charset=utf-8", "Authorization: bearer \(Self.token)"],
            "message=caf%C3%A9+%2B+ch%C3%A1&username=ana"
        ) { reply in
            #expect(reply.status == 201 && reply.text.contains(#""message":"café + chá""#))
        }
    }

    @Test(arguments: [(50, nil), (51, 50), (120, 100)] as [(Int, Int?)])
    func `a browser is led to the page of comments that has its comment`(count: Int, cursor: Int?) async throws {
        var services = Self.services
        services.list = { list, _ in
            let start = (0...count).first { list.afterID == nil || UUID($0) == list.afterID } ?? count
            let numbers = (1...count).dropFirst(start).prefix(list.limit ?? 100)
            let items = numbers.map {
                SentComment(id: UUID($0), message: "m", createdAt: noon, author: .init(username: "u"))
            }
            return ListedComments(
                items: items, nextAfterID: numbers.last == count ? nil : items.last?.id, origin: .store)
        }
        let body = "message=so&username=ana&token=\(Self.token)&id=\(UUID(count))"
        try await posting(to: services, [Self.form, "Accept: text/html"], body) { reply in
            let query = cursor.map { "?after_id=\(UUID($0))" } ?? ""
            #expect(reply.status == 303)
            #expect(reply["Location"] == "/image/\(Self.image)\(query)#comment-\(UUID(count))")
        }
    }

    @Test func `a browser whose comment is stored is led to the image even if no comments can be listed`() async throws
    {
        var services = Self.services
        services.list = { _, _ in throw RPCError(.unavailable, "down") }
        let body = "message=so&username=ana&token=\(Self.token)"
        try await posting(to: services, [Self.form, "Accept: text/html"], body) { reply in
            let isFirstPage = reply["Location"]?.hasPrefix("/image/\(Self.image)#comment-") == true
            #expect(reply.status == 303 && isFirstPage)
        }
    }

    @Test func `a form can have the token in it`() async throws {
        try await posting([Self.form], "message=so&username=ana&token=\(Self.token)") { #expect($0.status == 201) }
        try await posting([Self.form], "message=so&username=ana&token=x") { #expect($0.status == 401) }
    }

    @Test func `a browser gets a session in place of the token, which counts for forms only`() async throws {
        try await RunningAPI.with(Self.services, writeToken: WriteToken(Self.token)) { api async throws in
            let (page, form) = ("Accept: text/html", "message=so&username=ana")
            let first = try await api.post(Self.target, [Self.form, page], form + "&token=\(Self.token)")
            let cookie = try #require(first["Set-Cookie"])
            #expect(first.status == 303 && !cookie.contains(Self.token))
            #expect(cookie.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
            let session = "Cookie: \(cookie.prefix { $0 != ";" })"
            let second = try await api.post(Self.target, [Self.form, page, session], form)
            #expect(second.status == 303 && second["Set-Cookie"] == nil)
            // A token that is wrong is refused, whatever the session.
            #expect(try await api.post(Self.target, [Self.form, session], form + "&token=x").status == 401)
            #expect(
                try await api.post(Self.target, ["Content-Type: application/json", session], Self.comment).status == 401
            )
            // The token itself was the cookie of earlier versions.
            #expect(try await api.post(Self.target, [Self.form, "Cookie: token=\(Self.token)"], form).status == 401)
            #expect(try await !api.exchange("/image/\(Self.image)", [page, session]).text.contains(#"name="token""#))
            #expect(try await api.exchange("/image/\(Self.image)", [page]).text.contains(#"name="token""#))
        }
    }

    @Test(arguments: [
        [], ["Authorization: Bearer wrong"], ["Authorization: Basic \(token)"], ["Authorization: \(token)"],
    ])
    func `without the token nothing is stored`(fields: [String]) async throws {
        var services = Self.services
        services.post = { _, _ in
            Issue.record("a comment was stored")
            throw RPCError(.internalError, "")
        }
        try await posting(to: services, ["Content-Type: application/json"] + fields, Self.comment) { reply in
            #expect(reply.status == 401 && reply["WWW-Authenticate"] == "Bearer")
            #expect(!reply.text.contains(Self.token))
        }
    }

    @Test func `a deployment without a token accepts no comments`() async throws {
        try await posting(Self.json, Self.comment, token: nil) { reply in
            #expect(reply.status == 403)
            let detail = try reply.member("detail")
            #expect(detail?.contains("it has no token; its operator can write one into ROOT/http-token") == true)
        }
    }

    @Test func `an edge is read-only`() async throws {
        var services = Self.services
        services.post = { _, _ in throw RPCError(.readOnly, "an upstream's") }
        try await posting(to: services, Self.json, Self.comment) { reply in
            let kind = try reply.member("kind")
            #expect(reply.status == 403 && kind == "read_only")
        }
    }

    @Test(
        arguments: [
            ("Origin: https://evil.example", 403), ("Origin: null", 403), ("Sec-Fetch-Site: cross-site", 403),
            ("Sec-Fetch-Site: same-site", 403), ("Sec-Fetch-Site: same-origin", 201), ("Sec-Fetch-Site: none", 201),
        ])
    func `comments from pages of other sites are refused`(field: String, status: Int) async throws {
        try await posting(Self.json + [field], Self.comment) { #expect($0.status == status) }
    }

    @Test func `comments from pages of this site are stored`() async throws {
        try await RunningAPI.with(Self.services, writeToken: WriteToken(Self.token)) { api in
            let fields = Self.json + ["Origin: http://127.0.0.1:\(api.port)"]
            let reply = try await api.post(Self.target, fields, Self.comment)
            #expect(reply.status == 201)
        }
    }

    @Test(
        arguments: [
            ("", 400), ("{", 400), ("[]", 400), ("{}", 400), (#"{"message":"so"}"#, 400),
            (#"{"message":1,"username":"ana"}"#, 400), (#"{"message":"  ","username":"ana"}"#, 400),
            (#"{"message":"so","username":"ana","id":"x"}"#, 400),
            (#"{"message":"\#(String(repeating: "é", count: 2_000))","username":"ana"}"#, 201),
            (#"{"message":"\#(String(repeating: "é", count: 2_001))","username":"ana"}"#, 400),
            (#"{"message":"so","username":"\#(String(repeating: "é", count: 65))"}"#, 400),
        ])
    func `an invalid body is rejected with the reason`(body: String, status: Int) async throws {
        try await posting(Self.json, body) { reply in
            #expect(reply.status == status)
            let detail = try reply.member("detail")
            #expect(status == 201 || detail?.isEmpty == false)
        }
    }

    @Test func `a text that is not JSON is rejected with the place of the error`() async throws {
        try await posting(Self.json, #"{"message":}"#) { reply in
            let detail = try reply.member("detail")
            #expect(detail == "the body is not JSON: a value cannot begin here at byte 11")
        }
    }

    @Test(arguments: ["message=so", "message=so&username=ana&message=x", "message=%ff&username=ana", "\u{0}", "=&=&"])
    func `an invalid form is rejected with the reason`(body: String) async throws {
        try await posting([Self.form, "Authorization: Bearer \(Self.token)"], body) { #expect($0.status == 400) }
    }

    @Test(arguments: ["text/plain", "multipart/form-data; boundary=x", "application/json5", ""])
    func `another media type is 415`(type: String) async throws {
        try await posting(["Content-Type: \(type)", "Authorization: Bearer \(Self.token)"], Self.comment) {
            #expect($0.status == 415)
        }
    }

    @Test(arguments: [("gzip", 415), ("br, gzip", 415), ("identity", 201), ("Identity", 201), ("", 201)])
    func `a body in a content coding is 415`(coding: String, status: Int) async throws {
        try await posting(Self.json + ["Content-Encoding: \(coding)"], Self.comment) { #expect($0.status == status) }
    }

    @Test func `a comment on an unknown image is 404`() async throws {
        var services = Self.services
        services.get = { _, _ in throw RPCError(.notFound, "no such item") }
        try await posting(to: services, Self.json, Self.comment) { #expect($0.status == 404) }
    }

    @Test(arguments: [(15, false), (16, true), (1_024, true), (1_025, false)])
    func `a token has 16 to 1,024 characters`(length: Int, isValid: Bool) {
        #expect((WriteToken(String(repeating: "x", count: length) + "\n") != nil) == isValid)
    }

    @Test(arguments: ["sixteen chars ok", "sixteen-chars-\u{7}x", "ninetéén-characters", "a;token,of=chars"])
    func `a token has the characters of RFC 6750`(text: String) { #expect(WriteToken(text) == nil) }
}

extension UUID {
    fileprivate init(_ number: Int) {
        self.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)))
    }
}
