import FeedContract
import Foundation
import JSON
import Presentation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct DocsTests {
    private static let html = "Accept: text/html"

    private static let services: FakeServices = {
        var services = FakeServices()
        services.load = { _, _ in
            LoadedFeed(
                items: [FeedItem(id: UUID(0), image: "https://a.example/a.png")], nextAfterID: nil,
                prevBeforeID: nil, origin: .store)
        }
        return services
    }()

    @Test func `every endpoint is shown with its parameters, answers, errors and an example`() async throws {
        try await RunningAPI.with(Self.services) { api in
            let reply = try await api.exchange("/docs", [Self.html])
            #expect(reply.status == 200 && reply["Content-Security-Policy"] == HTTPAnswer.contentSecurityPolicy)
            let server = try #require(PublicURL("http://127.0.0.1:\(api.port)"))
            for endpoint in API.endpoints {
                let section = try #require(
                    reply.text.split(separator: "<section id=\"\(endpoint.name)\"").dropFirst().first?
                        .split(separator: "</section>").first)
                let words =
                    ["\(endpoint.method.rawValue) \(endpoint.path.text)", endpoint.summary]
                    + endpoint.parameters.map(\.name) + endpoint.answers.map(\.summary)
                    + [endpoint.curl(at: server, id: UUID(0).uuidString)]
                for word in words { #expect(section.contains(Markup().escapeText(word)), "\(endpoint.name): \(word)") }
                for answer in endpoint.answers {
                    #expect(section.contains("<b>\(answer.status)</b> "), "\(endpoint.name): \(answer.status)")
                }
            }
            #expect(reply.text.contains("query, integer 1…100, default 10"))
        }
    }

    @Test func `without the feed the examples have a word for the id`() async throws {
        try await RunningAPI.with(running: []) { api in
            let reply = try await api.exchange("/docs", [Self.html])
            #expect(reply.status == 200 && reply.text.contains("/v1/image/IMAGE_ID/data?w=640"))
        }
    }

    @Test(arguments: Language.allCases)
    func `the headings are in the reader's language`(language: Language) async throws {
        try await RunningAPI.with(Self.services) { api in
            let text = try await api.exchange("/docs", [Self.html, "Cookie: lang=\(language.rawValue)"]).text
            #expect(text.contains("<h3>\(Texts(language)[.apiParameters])</h3>"))
        }
    }

    @Test func `every page leads to the description, except the picture in full size`() async throws {
        var services = Self.services
        services.get = { selection, _ in FeedItem(id: selection.id, image: "https://a.example/a.png") }
        try await RunningAPI.with(services) { api in
            let image = "/image/\(UUID(0))"
            for (path, hasLink) in [("/", true), ("/nowhere", true), (image, true), (image + "/picture", false)] {
                let text = try await api.exchange(path, [Self.html]).text
                #expect(text.contains(#"href="/docs""#) == hasLink, "\(path)")
            }
        }
    }

    @Test func `the example of a request with a body is quoted for a shell`() throws {
        let post = try #require(API.endpoints.first { $0.name == "postComment" })
        let server = try #require(PublicURL("https://a.example/base"))
        #expect(
            post.curl(at: server, id: "X") == """
                curl -sf -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d \
                '{"message":"Lovely light!","username":"ana"}' https://a.example/base/v1/image/X/comments
                """)
    }

    @Test(
        arguments: [
            (Codec<Int>.integer(1...100).schema, "integer 1…100"),
            (Codec<Int>.integer(1 ... .max).schema, "integer 1…"),
            (Codec<Int>.integer().schema, "integer"), (Codec<UUID>.uuid.schema, "uuid"),
            (Codec<String>.trimmed(1...64).schema, "string of 1…64 characters"),
            (Codec<[UUID]>.array(of: .uuid).schema, "array of uuid"),
        ] as [(JSONSchema, String)])
    func `the values that a schema allows are named in a few words`(schema: JSONSchema, text: String) {
        #expect(schema.text == text)
    }

    @Test func `members of inner objects have a path`() {
        let paths = CommentsPayload.codec.schema.members.map(\.path)
        #expect(
            paths == [
                "items", "items[].id", "items[].message", "items[].created_at", "items[].author",
                "items[].author.username",
            ])
        let members = NewComment.codec.schema.members
        #expect(members.map(\.isRequired) == [true, true, false] && members[2].schema.text == "uuid or null")
    }
}

extension UUID {
    /// A fixed id.
    fileprivate init(_ number: UInt8) { self.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)) }
}
