import EdgeModel
import FeedContract
import Foundation
import Presentation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// `/feed.atom` and `/feed.json`. Tests/Web/test_feeds.py reads them with feed readers.
@Suite struct FeedReaderRouteTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }

    private static func page(
        _ items: [FeedItem], next: UUID? = nil, previous: UUID? = nil, origin: AnswerOrigin = .store,
        savedAt: Date? = nil
    ) -> FakeServices {
        .feed(LoadedFeed(items: items, nextAfterID: next, prevBeforeID: previous, origin: origin, savedAt: savedAt))
    }

    private static func item(_ number: Int, _ description: String? = nil, _ date: Date? = nil) -> FeedItem {
        FeedItem(id: ids[number], description: description, image: "https://example.org/a.png", publishedAt: date)
    }

    /// The value of a link with this relation in the head of an Atom document.
    private static func link(_ relation: String, _ atom: String) -> String? {
        let head = atom.split(separator: "<entry>").first ?? ""
        let links = head.split(separator: "\n").filter { $0.hasPrefix("<link rel=\"\(relation)\" ") }
        #expect(links.count < 2)
        return links.first?.firstMatch(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    // MARK: Atom

    @Test func `an Atom document has the whole item`() async throws {
        let id = Self.ids[0]
        let item = FeedItem(
            id: id, description: "<b>so</b>\nmany", location: "Lisbon", image: "https://example.org/a.png",
            publishedAt: noon)
        try await RunningAPI.with(Self.page([item])) { api in
            let reply = try await api.exchange("/feed.atom", ["Accept-Language: pt"])
            let base = "http://127.0.0.1:\(api.port)"
            #expect(reply.status == 200 && reply["Content-Type"] == "application/atom+xml")
            let html =
                #"&lt;p&gt;&lt;img src=&quot;\#(base)/v1/image/\#(id)/data?w=1280&quot; alt=&quot;&amp;lt;b&amp;gt;so&amp;lt;/b&amp;gt;&quot;&gt;&lt;/p&gt;"#
                + "&lt;p dir=&quot;auto&quot;&gt;&amp;lt;b&amp;gt;so&amp;lt;/b&amp;gt;&#10;many&lt;/p&gt;"
                + "&lt;p dir=&quot;auto&quot;&gt;Lisbon&lt;/p&gt;"
            let expected = """
                <?xml version="1.0" encoding="utf-8"?>
                <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="pt-BR">
                <id>\(base)/feed.atom</id>
                <title>Meu Feed</title>
                <subtitle>\(Texts(.ptBR)[.feedDescription])</subtitle>
                <icon>\(base)\(Asset.path("icon-192.png"))</icon>
                <updated>2026-03-01T12:00:00Z</updated>
                <author>
                <name>Meu Feed</name>
                </author>
                <link rel="alternate" type="text/html" href="\(base)/"/>
                <link rel="self" type="application/atom+xml" href="\(base)/feed.atom"/>
                <link rel="first" type="application/atom+xml" href="\(base)/feed.atom"/>
                <entry>
                <id>urn:uuid:\(id.uuidString.lowercased())</id>
                <title>&lt;b&gt;so&lt;/b&gt;</title>
                <published>2026-03-01T12:00:00Z</published>
                <updated>2026-03-01T12:00:00Z</updated>
                <link rel="alternate" type="text/html" href="\(base)/image/\(id)"/>
                <summary>&lt;b&gt;so&lt;/b&gt;&#10;many&#10;&#10;Lisbon</summary>
                <content type="html">\(html)</content>
                </entry>
                </feed>

                """
            #expect(reply.text == expected)
        }
    }

    @Test func `an item without a date or a text has neither, and the oldest time of update`() async throws {
        try await RunningAPI.with(Self.page([Self.item(0)])) { api in
            let atom = try await api.exchange("/feed.atom").text
            #expect(!atom.contains("<published>") && !atom.contains("<summary>"))
            #expect(atom.split(separator: "\n").count { $0 == "<updated>1970-01-01T00:00:00Z</updated>" } == 2)
            #expect(atom.contains("<title>Image</title>"))
        }
    }

    @Test(arguments: [
        ("0000-01-01T00:00:00Z", -62_167_219_200), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
        ("2026-03-02T12:00:00Z", 1_772_452_800),
    ])
    func `every date that an upstream may have is written as in RFC 3339`(text: String, seconds: Int) async throws {
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        try await RunningAPI.with(Self.page([Self.item(0, nil, date)])) { api in
            let atom = try await api.exchange("/feed.atom").text
            #expect(atom.contains("<published>\(text)</published>\n<updated>\(text)</updated>"))
            #expect(try await api.exchange("/feed.json").text.contains(#""date_published":"\#(text)""#))
        }
    }

    @Test(arguments: [86_401, 251_629_934_399])
    func `a date in the future is none, because readers would show its item first for ever`(ahead: TimeInterval)
        async throws
    {
        let items = [Self.item(0, nil, noon + ahead), Self.item(1, nil, noon)]
        try await RunningAPI.with(Self.page(items)) { api in
            let parts = try await api.exchange("/feed.atom").text.split(separator: "<entry>")
            #expect(parts[0].contains("<updated>2026-03-01T12:00:00Z</updated>"))
            #expect(parts[1].contains("<updated>1970-01-01T00:00:00Z</updated>") && !parts[1].contains("<published>"))
            #expect(try await api.exchange("/feed.json").text.split(separator: "date_published").count == 2)
        }
    }

    @Test func `the document was updated with its newest item, wherever that is`() async throws {
        let items = [Self.item(0), Self.item(1, nil, noon - 60), Self.item(2, nil, noon)]
        try await RunningAPI.with(Self.page(items)) { api in
            let head = try await api.exchange("/feed.atom").text.split(separator: "<entry>")[0]
            #expect(head.contains("<updated>2026-03-01T12:00:00Z</updated>"))
        }
        try await RunningAPI.with(Self.page([])) { api in
            let atom = try await api.exchange("/feed.atom").text
            #expect(atom.contains("<updated>1970-01-01T00:00:00Z</updated>"))
        }
    }

    @Test func `texts are escaped, and forbidden characters are replaced, in every element`() async throws {
        let item = FeedItem(
            id: Self.ids[0], description: "]]><x>\u{1}\"\u{301}&\u{202E}\u{FFFF}", location: "</entry>\u{B}",
            image: "https://example.org/a.png")
        try await RunningAPI.with(Self.page([item])) { api in
            let atom = try await api.exchange("/feed.atom").text
            let title = "]]&gt;&lt;x&gt;\u{FFFD}&quot;\u{301}&amp;\u{202E}\u{FFFD}"
            #expect(atom.contains("<title>\(title)</title>"))
            #expect(atom.contains("<summary>\(title)&#10;&#10;&lt;/entry&gt;\u{FFFD}</summary>"))
            #expect(!atom.contains("<x>") && !atom.contains("]]>") && !atom.unicodeScalars.contains("\u{1}"))
            #expect(atom.split(separator: "\n").count { $0 == "</entry>" } == 1)
        }
    }

    // MARK: JSON Feed

    @Test func `a JSON Feed has the whole item, with its texts escaped`() async throws {
        let (id, next) = (UUID(), UUID())
        let item = FeedItem(
            id: id, description: "<b>so</b>", location: "Lisbon", image: "https://example.org/a.png",
            publishedAt: noon)
        let page = LoadedFeed(items: [item], nextAfterID: next, prevBeforeID: id, origin: .store)
        try await RunningAPI.with(.feed(page)) { api in
            let reply = try await api.exchange("/feed.json?limit=1", ["Accept-Language: pt"])
            #expect(reply.status == 200 && reply["Content-Type"] == "application/feed+json")
            let feed = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
            let base = "http://127.0.0.1:\(api.port)"
            #expect(feed["version"] as? String == "https://jsonfeed.org/version/1.1")
            #expect(feed["title"] as? String == "Meu Feed" && feed["language"] as? String == "pt-BR")
            #expect(feed["next_url"] as? String == "\(base)/feed.json?limit=1&after_id=\(next)")
            let entry = try #require((feed["items"] as? [[String: Any]])?.first)
            #expect(entry["id"] as? String == "urn:uuid:\(id.uuidString.lowercased())")
            #expect(entry["url"] as? String == "\(base)/image/\(id)")
            #expect((entry["content_html"] as? String)?.contains("<p dir=\"auto\">&lt;b&gt;so&lt;/b&gt;</p>") == true)
            #expect(entry["image"] as? String == "\(base)/v1/image/\(id)/data?w=1280" && entry["attachments"] == nil)
            #expect(entry["date_published"] as? String == "2026-03-01T12:00:00Z")
        }
    }

    // MARK: Pages

    /// - Parameter recent: how many of 100 items were published within the last day.
    @Test(arguments: [(0, 50), (49, 50), (50, 50), (51, 51), (99, 99), (100, 100)])
    func `without a limit a document has 50 entries, or those of the last day`(recent: Int, count: Int) async throws {
        let items = (0..<100).map { number in
            let age: TimeInterval = number < recent ? 86_400 : 86_401
            return FeedItem(id: UUID(), image: "https://example.org/a.png", publishedAt: noon - age)
        }
        var services = Self.page([])
        services.load = { load, _ in
            #expect(load.limit == 100)
            return LoadedFeed(items: items, nextAfterID: items[99].id, prevBeforeID: items[0].id, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let atom = try await api.exchange("/feed.atom").text
            #expect(atom.split(separator: "\n").count { $0 == "<entry>" } == count)
            let next = "http://127.0.0.1:\(api.port)/feed.atom?after_id=\(items[count - 1].id)"
            #expect(Self.link("next", atom) == next)
        }
    }

    @Test(arguments: [("", 100), ("?limit=7", 7), ("?after_id=", 50), ("?before_id=", 50), ("?limit=9&after_id=", 9)])
    func `later pages have 50 entries, and a limit counts`(query: String, limit: Int) async throws {
        var services = Self.page([])
        services.load = { load, _ in
            if load.limit != limit { Issue.record("a limit of \(load.limit)") }
            return LoadedFeed(items: [], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let query = query.hasSuffix("_id=") ? query + Self.ids[0].uuidString : query
            let status = try await api.exchange("/feed.json" + query).status
            #expect(status == 200)
        }
    }

    @Test func `the first page links to the next one`() async throws {
        let (id, next) = (Self.ids[0], Self.ids[1])
        try await RunningAPI.with(Self.page([Self.item(0)], next: next, previous: id)) { api in
            let base = "http://127.0.0.1:\(api.port)"
            let atom = try await api.exchange("/feed.atom?limit=1").text
            #expect(Self.link("self", atom) == "\(base)/feed.atom?limit=1")
            #expect(Self.link("first", atom) == "\(base)/feed.atom?limit=1")
            #expect(Self.link("next", atom) == "\(base)/feed.atom?limit=1&after_id=\(next)")
            #expect(Self.link("previous", atom) == nil)
            let json = try await api.exchange("/feed.json?limit=1").text
            #expect(json.contains(#""next_url":"\#(base)/feed.json?limit=1&after_id=\#(next)""#))
            #expect(json.contains(#""feed_url":"\#(base)/feed.json""#))
        }
    }

    @Test func `a later page links to both neighbours and to itself`() async throws {
        let (id, next) = (Self.ids[1], Self.ids[2])
        try await RunningAPI.with(Self.page([Self.item(1)], next: next, previous: id)) { api in
            let base = "http://127.0.0.1:\(api.port)/feed.atom"
            for cursor in ["after_id", "before_id"] {
                let atom = try await api.exchange("/feed.atom?x=y&\(cursor)=\(id.uuidString.lowercased())").text
                #expect(Self.link("self", atom) == "\(base)?\(cursor)=\(id)")
                #expect(Self.link("first", atom) == base)
                #expect(Self.link("next", atom) == "\(base)?after_id=\(next)")
                #expect(Self.link("previous", atom) == "\(base)?before_id=\(id)")
            }
        }
    }

    @Test func `the last page has no next one, and an empty page has neither`() async throws {
        let cursor = "/feed.atom?after_id=\(Self.ids[0])"
        try await RunningAPI.with(Self.page([Self.item(1)], previous: Self.ids[1])) { api in
            let atom = try await api.exchange(cursor).text
            #expect(Self.link("next", atom) == nil && Self.link("previous", atom) != nil)
            #expect(try await !api.exchange("/feed.json").text.contains("next_url"))
        }
        try await RunningAPI.with(Self.page([])) { api in
            let atom = try await api.exchange(cursor).text
            #expect(Self.link("next", atom) == nil && Self.link("previous", atom) == nil)
            #expect(!atom.contains("<entry>") && atom.hasSuffix("</feed>\n"))
        }
    }

    @Test func `a language of the target is that of all pages, one of the headers is not in their URLs`() async throws {
        try await RunningAPI.with(Self.page([Self.item(0)], next: Self.ids[0])) { api in
            let base = "http://127.0.0.1:\(api.port)"
            let atom = try await api.exchange("/feed.atom?lang=el&limit=2", ["Accept-Language: pt"]).text
            #expect(atom.contains(#"xml:lang="el""#) && atom.contains("<title>Το Feed μου</title>"))
            #expect(Self.link("next", atom) == "\(base)/feed.atom?lang=el&limit=2&after_id=\(Self.ids[0])")
            #expect(Self.link("first", atom) == "\(base)/feed.atom?lang=el&limit=2")
            let other = try await api.exchange("/feed.atom", ["Accept-Language: pt"]).text
            #expect(other.contains(#"xml:lang="pt-BR""#) && Self.link("self", other) == "\(base)/feed.atom")
            let json = try await api.exchange("/feed.json?lang=el").text
            #expect(json.contains(#"/feed.json?lang=el&after_id="#))
            #expect(json.contains(#""feed_url":"\#(base)/feed.json?lang=el""#))
        }
    }

    // MARK: Answers

    @Test(arguments: ["/feed.atom", "/feed.json"])
    func `a reader that has the page gets 304`(path: String) async throws {
        try await RunningAPI.with(Self.page([Self.item(0)], origin: .cache, savedAt: noon - 30)) { api in
            let reply = try await api.exchange(path)
            let tag = try #require(reply["ETag"])
            // The language may come from a cookie.
            #expect(reply["Vary"] == "Accept-Encoding, Accept-Language, Cookie")
            #expect(reply["Cache-Control"] == "no-cache" && reply["Age"] == "30")
            #expect(reply["Cache-Status"] == "image-feed; hit" && reply["Access-Control-Allow-Origin"] == "*")
            let again = try await api.exchange(path, ["If-None-Match: \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag && again["Content-Type"] == nil)
            #expect(again["Vary"] == reply["Vary"] && again["Age"] == "30")
            #expect(try await api.exchange(path, ["If-None-Match: \(tag)", "Accept-Language: pt"]).status == 200)
        }
    }

    @Test(arguments: [("/feed.atom", "application/atom+xml"), ("/feed.json", "application/feed+json")])
    func `a long page is compressed`(path: String, type: String) async throws {
        try await RunningAPI.with(Self.page([Self.item(0, String(repeating: "so ", count: 1_000))])) { api in
            let reply = try await api.exchange(path, ["Accept-Encoding: gzip"])
            #expect(reply["Content-Encoding"] == "gzip" && reply["Content-Type"] == type)
        }
    }

    @Test(arguments: ["limit=0", "limit=101", "limit=x", "after_id=1", "limit=1&limit=2"])
    func `invalid parameters are refused`(query: String) async throws {
        try await RunningAPI.with(Self.page([])) { api in
            for path in ["/feed.atom", "/feed.json"] {
                let reply = try await api.exchange("\(path)?\(query)")
                #expect(reply.status == 400 && reply["Content-Type"] == "application/problem+json")
            }
        }
    }

    @Test func `browsers find both documents from every page`() async throws {
        try await RunningAPI.with(Self.page([Self.item(0)])) { api in
            let page = try await api.exchange("/", ["Accept: text/html"]).text
            for (type, path) in [("application/atom+xml", "/feed.atom"), ("application/feed+json", "/feed.json")] {
                #expect(page.contains(#"<link rel="alternate" type="\#(type)" title="My Feed" href="\#(path)">"#))
            }
        }
    }
}
