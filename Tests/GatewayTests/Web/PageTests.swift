import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import Presentation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The pages as a browser gets them.
@Suite struct PageTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }
    private static let html = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    private static let token = "a-token-of-16-chars"

    /// Markup, an attribute's end behind an accent, a template, an override, a control character.
    private static let hostile = "<script>x</script>\"\u{301} on='y' {{title}} \u{202E}\u{7}👩‍👩‍👧"

    private static func services(
        origin: AnswerOrigin = .store, next: UUID? = nil, savedAt: Date? = nil, text: String = "A tower"
    ) -> FakeServices {
        var services = FakeServices()
        let items = ids.map { FeedItem(id: $0, description: text, location: text, image: "https://a.example/a.png") }
        services.load = { load, _ in
            LoadedFeed(
                items: items, nextAfterID: next, prevBeforeID: items[0].id, origin: origin, savedAt: savedAt)
        }
        services.get = { selection, _ in
            guard let item = items.first(where: { $0.id == selection.id }) else {
                throw RPCError(.notFound, "no such item")
            }
            return item
        }
        services.counts = { _, _ in CommentCounts(counts: [ids[0]: 1, ids[1]: 1_234]) }
        services.list = { list, _ in
            let comment = SentComment(
                id: ids[2], message: text, createdAt: noon - 7_200, author: SentComment.Author(username: text))
            return ListedComments(items: [comment], nextAfterID: next, origin: origin, savedAt: savedAt)
        }
        return services
    }

    // MARK: Rendering

    @Test func `a page of the feed has rows, links and counts`() async throws {
        try await RunningAPI.with(Self.services(next: Self.ids[2])) { api in
            let reply = try await api.exchange("/", [Self.html])
            #expect(reply.status == 200 && reply["Content-Type"] == "text/html; charset=utf-8")
            let text = reply.text
            #expect(text.contains("<title>My Feed</title>") && text.contains(#"role="feed""#))
            #expect(text.contains(#"rel="next" href="/?after_id=\#(Self.ids[2])""#) && !text.contains(#"rel="prev""#))
            for count in ["1 comment<", "1,234 comments<"] { #expect(text.contains(count)) }
            #expect(text.contains(#"<link rel="canonical" href="http://127.0.0.1:\#(api.port)/">"#))
            let later = try await api.exchange("/?after_id=\(Self.ids[0])", [Self.html]).text
            #expect(later.contains(#"rel="prev" href="/?before_id=\#(Self.ids[0])""#))
        }
    }

    @Test(arguments: [0, 1]) func `a place leads to its search if the link fits into a request`(excess: Int)
        async throws
    {
        let start = "/search?q=place%3A%22"
        let place = String(repeating: "a", count: HTTPLimits.targetBytes + excess - "\(start)%22".utf8.count)
        var services = Self.services(text: place)
        services.plugins = [.enriching("search") { _ in #"{"values":{}}"# }]
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/", [Self.html]).text
            #expect(text.contains(start) == (excess == 0) && text.contains(place))
        }
    }

    @Test(arguments: [true, false])
    func `an image without comments says so where the reader can write one`(isWritable: Bool) async throws {
        let token = isWritable ? WriteToken(Self.token) : nil
        var services = Self.services()
        services.list = { _, _ in ListedComments(items: [], nextAfterID: nil, origin: .store) }
        try await RunningAPI.with(services, writeToken: token) { api in
            let text = try await api.exchange("/", [Self.html]).text
            #expect(text.contains("No comments yet<") == isWritable)
            // Two of the three images have comments.
            #expect(text.matches(of: /class="count"/).count == (isWritable ? 3 : 2))
            let page = try await api.exchange("/image/\(Self.ids[0])", [Self.html]).text
            #expect(page.contains("No comments yet<") == isWritable)
        }
    }

    @Test(
        arguments: [
            (
                PictureDetails(credit: "Ana", license: "CC-BY-4.0", source: "https://a.example/1"),
                #"<a href="https://a.example/1" rel="noopener noreferrer nofollow">Photo: Ana</a>&nbsp;· "#
                    + #"<a href="https://creativecommons.org/licenses/by/4.0/" rel="license noopener noreferrer nofollow">CC-BY-4.0</a>"#
            ),
            (PictureDetails(credit: "Ana", license: "MIT"), "Photo: Ana&nbsp;· MIT"),
            (
                PictureDetails(license: "MIT", source: "https://a.example/1"),
                #"MIT&nbsp;· <a href="https://a.example/1" rel="noopener noreferrer nofollow">a.example</a>"#
            ),
        ])
    func `author and licence lead to the original and to the licence's text`(details: PictureDetails, credit: String)
        async throws
    {
        var services = Self.services()
        let item = FeedItem(id: Self.ids[0], image: "https://a.example/a.png", details: details)
        services.load = { _, _ in LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: item.id, origin: .store) }
        services.get = { _, _ in item }
        try await RunningAPI.with(services) { api in
            for path in ["/", "/image/\(item.id)", "/image/\(item.id)/picture"] {
                let text = try await api.exchange(path, [Self.html]).text
                #expect(text.contains(#"<p class="credit" dir="auto">"# + credit + "</p>"), "\(path): \(text)")
            }
        }
    }

    @Test func `a title is set apart from its text, on every page`() async throws {
        try await RunningAPI.with(Self.services(text: "Old tram\nMissed it")) { api in
            let feed = try await api.exchange("/", [Self.html]).text
            #expect(feed.contains(#"<h2 class="title" id="n-\#(Self.ids[0])" dir="auto">Old tram</h2>"#))
            #expect(feed.contains(#"<p class="text" dir="auto">Missed it</p>"#))
            let page = try await api.exchange("/image/\(Self.ids[0])", [Self.html]).text
            #expect(page.contains(#"<h1 class="title" dir="auto">Old tram</h1>"#))
            #expect(page.contains(#"<p class="text whole" dir="auto">Missed it</p>"#))
            #expect(page.contains("<title>Old tram · My Feed</title>"))
        }
    }

    @Test(arguments: ["", "/picture"])
    func `the window of an untitled picture has the name of its place, or of the site`(page: String) async throws {
        for (place, title) in [("Lisbon", "Lisbon · My Feed"), (nil, "My Feed")] {
            var services = Self.services()
            let item = FeedItem(id: Self.ids[0], location: place, image: "https://a.example/a.png")
            services.get = { _, _ in item }
            try await RunningAPI.with(services) { api in
                let text = try await api.exchange("/image/\(Self.ids[0])\(page)", [Self.html]).text
                #expect(text.contains("<title>\(title)</title>"))
            }
        }
    }

    @Test func `the neighbours of a picture are loaded ahead, unless they are covered or the reader saves data`()
        async throws
    {
        var services = Self.services()
        services.load = { load, _ in
            let isNext = load.afterID != nil
            let item = FeedItem(
                id: Self.ids[isNext ? 1 : 2], image: "urn:x:y", details: PictureDetails(isSensitive: !isNext))
            return LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let path = "/image/\(Self.ids[0])/picture"
            let text = try await api.exchange(path, [Self.html]).text
            #expect(text.contains(#"data-ahead="/v1/image/\#(Self.ids[1])/data""#))
            #expect(text.components(separatedBy: "data-ahead").count == 2)
            #expect(!(try await api.exchange(path, [Self.html, "Save-Data: on"]).text).contains("data-ahead"))
        }
    }

    @Test func `an untitled picture has a name for screen readers only`() async throws {
        var services = Self.services()
        let items = Self.ids.map { FeedItem(id: $0, image: "https://a.example/a.png") }
        services.load = { _, _ in LoadedFeed(items: items, nextAfterID: nil, prevBeforeID: nil, origin: .store) }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/", [Self.html]).text
            let name = #"<h2 class="visually-hidden" id="n-\#(Self.ids[0])" dir="auto">Image</h2>"#
            #expect(text.contains(name) && text.components(separatedBy: ">Image<").count == items.count + 1)
        }
    }

    @Test(arguments: ["/", "/image/\(ids[0])", "/image/\(ids[0])/picture"])
    func `a sensitive picture is covered, and no preview shows it`(path: String) async throws {
        let item = FeedItem(
            id: Self.ids[0], image: "https://a.example/a.png", details: PictureDetails(isSensitive: true))
        var services = FakeServices.feed(
            LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .store))
        services.get = { _, _ in item }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange(path, [Self.html]).text
            let veil = #"<details class="veil">\#n<summary>\#(Texts(.en)[.imageSensitive])</summary>\#n<img "#
            #expect(text.contains(veil) && text.components(separatedBy: "/data").count > 1)
            #expect(!text.contains("og:image") && text.components(separatedBy: "<img ").count == 2)
        }
    }

    @Test(arguments: [(86_400.0, true), (86_401, false)])
    func `the page of an image has no date that is more than a day ahead`(seconds: Double, hasDate: Bool) async throws {
        var services = Self.services()
        services.get = { _, _ in FeedItem(id: Self.ids[0], image: "urn:x:y", publishedAt: noon + seconds) }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/image/\(Self.ids[0])", [Self.html]).text
            #expect(text.contains("<p class=\"credit\"><time ") == hasDate)
        }
    }

    @Test(arguments: [20, 21, 10_000]) func `a page has at most twenty tags of a picture`(count: Int) async throws {
        var services = Self.services()
        services.load = { _, _ in
            let item = FeedItem(id: Self.ids[0], image: "urn:x:y", tags: (1...count).map { "tag\($0)" })
            return LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .remote)
        }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/", [Self.html]).text
            #expect(text.components(separatedBy: #"class="tag""#).count == 20 + 1)
            #expect(text.contains("tag20<") && !text.contains("tag21<"))
        }
    }

    @Test func `the page of an image has the date of its publication`() async throws {
        var services = Self.services()
        services.get = { _, _ in
            FeedItem(id: Self.ids[0], image: "urn:x:y", publishedAt: noon - 86_400)
        }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/image/\(Self.ids[0])", [Self.html]).text
            let date = #"<time datetime="2026-02-28T12:00:00Z" title="February 28, 2026 at 12:00"#
            #expect(text.contains(date) && text.contains(">1 day ago</time>"))
        }
    }

    @Test(arguments: ["", "/picture"])
    func `the page of an image leads to its neighbours`(page: String) async throws {
        var services = Self.services()
        services.load = { load, _ in
            let id = load.afterID == nil ? Self.ids[2] : Self.ids[1]
            return LoadedFeed(
                items: [FeedItem(id: id, image: "urn:x:y")], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let text = try await api.exchange("/image/\(Self.ids[0])\(page)", [Self.html]).text
            for (rel, id) in [("next", Self.ids[1]), ("prev", Self.ids[2])] {
                #expect(text.contains(#"rel="\#(rel)" href="/image/\#(id)\#(page)""#))
            }
        }
    }

    @Test func `every field is escaped, on every page`() async throws {
        try await RunningAPI.with(Self.services(text: Self.hostile)) { api in
            for path in ["/", "/image/\(Self.ids[0])", "/image/\(Self.ids[0])/picture"] {
                let text = try await api.exchange(path, [Self.html]).text
                #expect(
                    text.contains("&lt;script&gt;x&lt;/script&gt;&quot;\u{301} on=&#39;y&#39; {{title}} 👩‍👩‍👧"), "\(path)")
                #expect(!text.contains("<script>x") && !text.contains("\"\u{301}"), "\(path)")
                #expect(!text.unicodeScalars.contains { ["\u{202E}", "\u{7}"].contains($0) }, "\(path)")
            }
        }
    }

    @Test func `comments have an age, the date in full, and a name`() async throws {
        try await RunningAPI.with(Self.services()) { api in
            let text = try await api.exchange("/image/\(Self.ids[0])?lang=x", [Self.html, "Accept-Language: pt"]).text
            #expect(text.contains(">há 2 horas</time>") && text.contains(#"datetime="2026-03-01T10:00:00Z""#))
            #expect(text.contains("1 de março de 2026") && text.contains(#"id="comment-\#(Self.ids[2])""#))
        }
    }

    @Test func `a comments service that is down leaves the feed and the image`() async throws {
        try await RunningAPI.with(Self.services(), running: ["feed", "image-data"]) { api in
            for (path, key) in [("/", TextKey.partsUnavailable), ("/image/\(Self.ids[0])", .commentsUnavailable)] {
                let reply = try await api.exchange(path, [Self.html])
                let again = key == .partsUnavailable ? "/" : path.replacing("-", with: "%2D") + "?wait=1"
                let notice = #">\#(Texts(.en)[key]) <a href="\#(again)">\#(Texts(.en)[.retry])</a></p>"#
                #expect(reply.status == 200 && reply.text.contains(notice), "\(path)")
                #expect(reply.text.contains("A tower"))
            }
        }
    }

    /// Services whose comments come when the test sends a value.
    private static func slowServices() -> (
        FakeServices, asked: AsyncStream<Void>, comments: AsyncStream<Void>.Continuation
    ) {
        var services = services()
        let list = services.list
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (comments, coming) = AsyncStream.makeStream(of: Void.self)
        services.list = { params, context in
            asking.yield()
            for await _ in comments { break }
            return try await list(params, context)
        }
        return (services, asked, coming)
    }

    @Test(arguments: Language.allCases)
    func `a page does not wait longer than 500 ms for its comments`(language: Language) async throws {
        let (clock, (services, asked, _)) = (ManualClock(), Self.slowServices())
        try await RunningAPI.with(services, writeToken: WriteToken(Self.token), clock: clock) { api async throws in
            // As through a service worker.
            let opening = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: empty", "Cookie: lang=\(language.rawValue)"]
            async let reply = api.exchange("/image/\(Self.ids[0])", [Self.html] + opening)
            for await _ in asked { break }
            await clock.advance(by: .milliseconds(500))
            let text = try await reply.text
            #expect(
                text.contains("A tower") && text.contains(#"id="late">\#(Texts(language)[.commentsLate]) <a href="#))
            #expect(!text.contains(#"<form class="form""#) && !text.contains(Texts(language)[.commentsEmpty]))
        }
    }

    @Test(arguments: [("", ["Sec-Fetch-Mode: cors"]), ("?wait=1", [])])
    func `a script, and a reader who tries again, wait for slow comments`(
        query: String, fields: [String]
    ) async throws {
        let (clock, (services, asked, comments)) = (ManualClock(), Self.slowServices())
        try await RunningAPI.with(services, clock: clock) { api async throws in
            async let reply = api.exchange("/image/\(Self.ids[0])\(query)", [Self.html] + fields)
            for await _ in asked { break }
            await clock.advance(by: .seconds(2))
            comments.yield()
            #expect(try await reply.text.contains("comment-\(Self.ids[2])"))
        }
    }

    @Test func `a refused form waits for slow comments, so that no typed text is lost`() async throws {
        let (clock, (services, asked, comments)) = (ManualClock(), Self.slowServices())
        try await RunningAPI.with(services, writeToken: WriteToken(Self.token), clock: clock) { api async throws in
            async let reply = api.post(
                "/v1/image/\(Self.ids[0])/comments",
                [Self.html, "Content-Type: application/x-www-form-urlencoded"], "message=typed&username=ana")
            for await _ in asked { break }
            await clock.advance(by: .seconds(2))
            comments.yield()
            #expect(try await reply.text.contains(">\ntyped</textarea>"))
        }
    }

    @Test func `an edge names the age of a cached page and offers no form`() async throws {
        let services = Self.services(origin: .cache, savedAt: noon - 7_200)
        try await RunningAPI.with(services) { api in
            let notice = #"<p class="quiet" data-cached="2026-03-01T10:00:00Z">"#
            let feed = try await api.exchange("/", [Self.html]).text
            #expect(
                feed.contains(notice) && feed.contains("The server does not answer: cached copy from 2 hours ago</p>"))
            #expect(
                feed.contains(
                    #"<p class="end" data-date="2026-03-01T10:00:00Z" data-text="That&#39;s all. Last updated %@">"#))
            let comments = try await api.exchange("/image/\(Self.ids[0])", [Self.html]).text
            #expect(comments.contains("cached copy from 2 hours ago") && comments.contains("can only be read"))
            #expect(!comments.contains(#"id="form""#))
        }
    }

    @Test(arguments: Language.allCases)
    func `every page is in the reader's language`(language: Language) async throws {
        try await RunningAPI.with(Self.services()) { api in
            let reply = try await api.exchange("/", [Self.html, "Cookie: lang=\(language.rawValue); theme=dark"])
            #expect(reply.text.contains(#"<html lang="\#(language.rawValue)" data-theme="dark""#))
            #expect(reply.text.contains("<title>\(Texts(language)[.feedTitle])</title>"))
        }
    }

    // MARK: The form

    @Test func `a refused form shows the reason and keeps what was typed`() async throws {
        try await RunningAPI.withRegistry(of: Self.services()) { registry in
            let gateway = Gateway(registry)
            async let _: Void = gateway.run()
            let pages = Pages(
                gateway: gateway, publicURL: try #require(PublicURL("http://a.example")),
                sessions: Sessions(deployment: ""))
            let path = "/image/\(Self.ids[0])"
            let reader = Reader(
                .init(method: .get, scheme: nil, authority: nil, path: path), try RequestTarget(path))
            let form = CommentForm(username: "a\"b", message: "</textarea>\n<b>", error: "Too long")
            let answer = try await pages.comments(
                of: Self.ids[0], form: form, status: .badRequest, reader, CallOptions())
            let text = String(buffer: answer.body)
            #expect(answer.status == .badRequest && text.contains(#"role="alert">Too long</p>"#))
            #expect(text.contains(#"value="a&quot;b""#) && text.contains("&lt;/textarea&gt;\n&lt;b&gt;</textarea>"))
            #expect(text.contains(#"action="/v1/image/\#(Self.ids[0])/comments""#) && text.contains(#"name="token""#))
        }
    }

    // MARK: Headers

    @Test func `pages forbid everything that they do not need, and are revalidated`() async throws {
        try await RunningAPI.with(Self.services()) { api in
            let reply = try await api.exchange("/", [Self.html])
            let policy = try #require(reply["Content-Security-Policy"])
            // Only the ratios of pictures are inline.
            let others = policy.replacing("style-src-attr 'unsafe-inline'", with: "")
            #expect(policy.hasPrefix("default-src 'none'; ") && !others.contains("unsafe"))
            #expect(policy.contains("base-uri 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(reply["X-Content-Type-Options"] == "nosniff" && reply["Referrer-Policy"] == "same-origin")
            #expect(reply["Cache-Control"] == "private, no-cache")
            #expect(reply["Vary"] == "Accept-Encoding, Accept-Language, Cookie, Save-Data")
            let tag = try #require(reply["ETag"])
            let known = try await api.exchange("/", [Self.html, "If-None-Match: \(tag)"])
            #expect(known.status == 304 && known.body.isEmpty && known["Content-Type"] == nil)
            let other = try await api.exchange("/", [Self.html, "If-None-Match: \(tag)", "Cookie: lang=el"])
            #expect(other.status == 200 && other["ETag"] != tag)
            let compressed = try await api.exchange("/", [Self.html, "Accept-Encoding: gzip"])
            #expect(compressed["Content-Encoding"] == "gzip" && compressed.body.count < reply.body.count / 2)
        }
    }

    @Test func `HEAD has the fields of GET, and other methods are refused`() async throws {
        try await RunningAPI.with(Self.services()) { api in
            let get = try await api.exchange("/", [Self.html])
            let head = try await api.exchange("/", method: "HEAD", [Self.html])
            #expect(
                head.status == 200 && head["ETag"] == get["ETag"] && head["Content-Length"] == get["Content-Length"])
            #expect(try await api.exchange("/", method: "DELETE").status == 405)
        }
    }

    // MARK: Assets

    @Test func `the URLs of assets in a page have hashes and are cached for ever`() async throws {
        try await RunningAPI.with(Self.services()) { api in
            let page = try await api.exchange("/", [Self.html]).text
            for name in ["style.css", "page.js", "icons.svg", "icon.svg"] {
                let path = Asset.path(name)
                #expect(page.contains(path), "\(name)")
                let asset = try await api.exchange(path)
                #expect(asset.status == 200 && asset["Cache-Control"] == "public, max-age=31536000, immutable")
                #expect(asset["X-Content-Type-Options"] == "nosniff" && !asset.body.isEmpty)
                let tag = try #require(asset["ETag"])
                #expect(try await api.exchange(path, ["If-None-Match: \(tag)"]).status == 304)
            }
            #expect(try await api.exchange(Asset.path("style.css"))["Content-Type"] == "text/css; charset=utf-8")
        }
    }

    @Test(arguments: ["/worker.js", "/manifest.webmanifest", "/assets/icon.svg"])
    func `files with fixed names are revalidated`(path: String) async throws {
        try await RunningAPI.with(Self.services()) { api in
            let reply = try await api.exchange(path)
            #expect(reply.status == 200 && reply["Cache-Control"] == "no-cache")
        }
    }

    @Test(arguments: ["/assets/style-0000000000000000.css", "/assets/..%2Ffeed.mustache", "/assets/", "/assets/x"])
    func `unknown files are not found`(path: String) async throws {
        try await RunningAPI.with(Self.services()) { api in
            let reply = try await api.exchange(path)
            #expect(reply.status == 404)
        }
    }

    @Test func `a first visit needs less than 60 KB for the page and all that it loads`() async throws {
        try await RunningAPI.with(Self.services()) { api in
            let page = try await api.exchange("/", [Self.html]).text
            let assets = Set(page.matches(of: /="(\/assets\/[^"#]+)/).map { String($0.1) })
            #expect(assets.isSuperset(of: ["style.css", "page.js", "icons.svg"].map(Asset.path)))
            var size = 0
            for path in ["/"] + assets {
                size += try await api.exchange(path, [Self.html, "Accept-Encoding: gzip"]).body.count
            }
            #expect(size < 60_000)
        }
    }

    // MARK: Errors

    @Test(arguments: Language.allCases)
    func `the page in place of one that is not stored is in the reader's language`(language: Language) async throws {
        try await RunningAPI.with(running: []) { api in
            let reply = try await api.exchange("/offline", [Self.html, "Cookie: lang=\(language.rawValue)"])
            let message = Texts(language)[.connectionError].replacing("'", with: "&#39;")
            #expect(reply.status == 200 && reply.text.contains(#"<h1 class="large">\#(message)</h1>"#))
            #expect(reply.text.contains(Texts(language)[.offlineStored]) && !reply.text.contains("Trace ID"))
        }
    }

    @Test(arguments: [
        ("/nowhere", 404, "This page does not exist"), ("/image/\(UUID())", 404, "This page does not exist"),
        ("/?after_id=x", 400, "after_id: must be a UUID"), ("/?limit=0", 400, "limit: must be a number"),
    ])
    func `errors are pages for browsers and problems for programs`(
        path: String, status: Int, words: String
    ) async throws {
        try await RunningAPI.with(Self.services()) { api in
            let page = try await api.exchange(path, [Self.html])
            #expect(page.status == status && page.text.contains(words) && page["Cache-Control"] == "no-store")
            #expect(page["Content-Security-Policy"] != nil && page.text.contains("Trace ID: "))
            for accept in [["Accept: application/json"], ["Accept: */*"], []] {
                let problem = try await api.exchange(path, accept)
                #expect(problem.status == status && problem["Content-Type"] == "application/problem+json")
            }
            #expect(try await api.exchange("/v1" + path, [Self.html])["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `a feed that is down is a page with a way to try again`() async throws {
        try await RunningAPI.with(Self.services(), running: ["comments"]) { api in
            let page = try await api.exchange("/?limit=3", [Self.html, "Accept-Language: es"])
            #expect(page.status == 503 && page["Retry-After"] == "1")
            #expect(page.text.contains(Texts(.es)[.unavailable]) && page.text.contains(#"href="/?limit=3""#))
        }
    }
}
