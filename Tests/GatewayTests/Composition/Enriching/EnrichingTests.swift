import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import JSON
import NIOCore
import Presentation
import RPC
import RPCTestKit
import ServiceKit
import Synchronization
import Testing
import Timing

@testable import gateway

/// What plugins add to the items of the feed.
struct EnrichingTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }

    private static func services(_ plugins: FakePlugin..., origin: AnswerOrigin = .store) -> FakeServices {
        var services = FakeServices.feed(
            LoadedFeed(
                items: ids.map { FeedItem(id: $0, image: "urn:x:y") }, nextAfterID: nil, prevBeforeID: nil,
                origin: origin))
        services.get = { selection, _ in FeedItem(id: selection.id, image: "urn:x:y") }
        services.plugins = plugins
        return services
    }

    /// The page as the command line gets it.
    private func page(_ services: FakeServices) async throws -> FeedPageAnswer {
        try await RunningAPI.withRegistry(of: services) { registry in
            let gateway = Gateway(registry)
            async let _: Void = gateway.run()
            return try await gateway.feedPage(LoadFeed(), in: .en, CallOptions())
        }
    }

    // MARK: Values

    @Test func `each value is an extension of its item`() async throws {
        let likes = FakePlugin.enriching("likes") {
            #"{"counts":{"\#($0[0])":3,"\#($0[2].lowercased())":{"text":"many"}}}"#
        }
        let page = try await page(Self.services(likes))
        #expect(
            page.page.items.map { $0.extensions.mapValues(\.description) } == [
                ["likes": "3"], [:], ["likes": #"{"text":"many"}"#],
            ])
        #expect(page.problems.isEmpty)
    }

    @Test func `the API has the values too, and so has a single item`() async throws {
        let likes = FakePlugin.enriching("likes") { #"{"counts":{"\#($0[0])":[1,"a"]}}"# }
        try await RunningAPI.with(Self.services(likes)) { api async throws in
            let member = #"/data","extensions":{"likes":[1,"a"]}}"#
            #expect(try await api.exchange("/v1/feed").text.components(separatedBy: member).count == 2)
            #expect(try await api.exchange("/v1/image/\(Self.ids[1])").text.hasSuffix(member))
            #expect(try await !api.exchange("/feed.json").text.contains("likes"))
            #expect(try await api.exchange("/openapi.json").text.contains(#""extensions":{"#))
        }
    }

    @Test func `one call asks for all items of a page`() async throws {
        let calls = Mutex<[[String]]>([])
        let likes = FakePlugin.enriching("likes") { ids in
            calls.withLock { $0.append(ids) }
            return #"{"counts":{}}"#
        }
        _ = try await page(Self.services(likes))
        #expect(calls.withLock { $0 } == [Self.ids.map(\.uuidString)])
    }

    @Test func `nothing is called for an empty page`() async throws {
        let likes = FakePlugin.enriching("likes") { _ in
            Issue.record("called")
            return "{}"
        }
        var services = FakeServices()
        services.plugins = [likes]
        #expect(try await page(services).page.items.isEmpty)
    }

    @Test func `several plugins are called at the same time`() async throws {
        // Each answers only when the other was called too.
        let begun = Watched<Set<String>>([])
        let plugins = ["likes", "places"].map { name in
            FakePlugin.enriching(name) { ids in
                begun.withLock { _ = $0.insert(name) }
                await begun.wait { $0.count == 2 }
                return #"{"values":{"\#(ids[0])":"\#(name)"}}"#
            }
        }
        let page = try await page(Self.services(plugins[0], plugins[1]))
        #expect(
            page.page.items[0].extensions.mapValues(\.description) == ["likes": #""likes""#, "places": #""places""#])
    }

    @Test func `values of other images and null are dropped`() async throws {
        let others = (0..<1_000).map { _ in #""\#(UUID())":1"# }.joined(separator: ",")
        let likes = FakePlugin.enriching("likes") { #"{"counts":{\#(others),"x":2,"\#($0[0])":null,"\#($0[1])":0}}"# }
        let page = try await page(Self.services(likes))
        #expect(page.page.items.map { $0.extensions.mapValues(\.description) } == [[:], ["likes": "0"], [:]])
        #expect(page.problems.isEmpty)
    }

    // MARK: Failures

    /// The answers of a hostile plugin for an id.
    private static let hostileAnswers: [@Sendable (String) -> String] = [
        { _ in "{}" }, { _ in "[]" }, { _ in "3" }, { _ in #"{"counts":[]}"# }, { _ in #"{"counts":3}"# },
        { #"{"counts":{"\#($0)":3},"more":{}}"# }, { #"{"counts":{"\#($0)":3,"\#($0.lowercased())":4}}"# },
        { #"{"counts":{"\#($0)":"\#(String(repeating: "x", count: 4_095))"}}"# },
        { #"{"counts":{"\#($0)":\#(String(repeating: "[", count: 9) + String(repeating: "]", count: 9))}}"# },
        { #"{"counts":{"\#($0)":"\u0000"}}"# }, { #"{"counts":{"\#($0)":{"\u001b[2J":1}}}"# },
        { #"{"counts":{"\#($0)":"\r"}}"# }, { "{\"counts\":{\"\($0)\":\"\u{7F}\"}}" },
        { "{\"counts\":{\"\($0)\":\"\u{9B}31m\"}}" },
        { _ in "{\"counts\":{" + (0..<10_000).map { _ in "\"\(UUID())\":1" }.joined(separator: ",") + "}}" },
    ]

    @Test(arguments: hostileAnswers.indices)
    func `an invalid answer is a problem, and nothing of it is shown`(index: Int) async throws {
        let (hostile, good) = (
            FakePlugin.enriching("hostile") { Self.hostileAnswers[index]($0[0]) },
            FakePlugin.enriching("good") { #"{"values":{"\#($0[0])":1}}"# }
        )
        let services = Self.services(hostile, good)
        let page = try await page(services)
        #expect(page.page.items.map { $0.extensions.mapValues(\.description) } == [["good": "1"], [:], [:]])
        #expect(page.problems.map(\.service) == ["hostile"] && page.problems.map(\.kind) == ["invalid_data"])
        try await RunningAPI.with(services) { api async throws in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.text.hasSuffix(#"],"problems":[{"service":"hostile","kind":"invalid_data"}]}"#))
            #expect(reply.status == 200 && reply.text.contains(#""extensions":{"good":1}"#))
            let html = try await api.exchange("/", ["Accept: text/html"])
            #expect(html.status == 200 && html.text.contains(Texts(.en)[.partsUnavailable]))
            #expect(!html.text.contains("hostile"))
        }
    }

    @Test func `an answer that is no valid JSON of the protocol is a problem`() async throws {
        let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
        let hostile = FakePlugin.enriching("hostile") { _ in #"{"counts":\#(deep)}"# }
        let page = try await page(Self.services(hostile))
        #expect(page.page.items.count == 3 && page.problems.map(\.service) == ["hostile"])
    }

    @Test func `an error of a plugin is a problem of the page`() async throws {
        let likes = FakePlugin.enriching("likes") { _ in throw RPCError(.internalError, "/home/ana/likes.db") }
        let page = try await page(Self.services(likes))
        #expect(page.problems.map(\.kind) == ["internal"] && page.page.items.count == 3)
        #expect(page.problems.map(\.message) == [Texts(.en).text(.couldNotShow, "likes")])
    }

    @Test func `a plugin that is down is a problem, and the page is complete otherwise`() async throws {
        var services = Self.services(.enriching("likes") { _ in "{}" })
        services.down = ["likes"]
        let page = try await page(services)
        #expect(page.problems.map(\.kind) == ["unavailable"] && page.page.items.count == 3)
    }

    /// Half a second, or the shorter time of its manifest.
    @Test(arguments: [nil, 50])
    func `a page waits half a second for a plugin that hangs, and the next pages do not ask it`(
        timeout: Int?
    ) async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let (log, clock) = (RecordedLog(), ManualClock())
        let hanging = FakePlugin.enriching("hanging", timeout: timeout) { _ in
            called.yield()
            await waitForCancellation()
            return "{}"
        }
        try await RunningAPI.with(Self.services(hanging), logger: log.logger, clock: clock) { api async throws in
            async let first = api.exchange("/v1/feed")
            var calls = calls.makeAsyncIterator()
            await calls.next()
            await clock.advance(by: .milliseconds(Int64(timeout ?? 500)))
            let problem = #"{"service":"hanging","kind":"deadline_exceeded"}"#
            #expect(try await first.text.contains(problem))
            for _ in 1...4 {
                // The page is not cached any more.
                await clock.advance(by: .seconds(1))
                let reply = try await api.exchange("/v1/feed")
                #expect(reply.text.contains(problem), "\(reply.text)")
            }
            #expect(log.lines.count { $0.contains("hanging.values") } == 1, "\(log.lines)")
            // The pause is over: no page has called it meanwhile.
            await clock.advance(by: .seconds(1))
            async let next = api.exchange("/v1/feed")
            await calls.next()
            await clock.advance(by: .milliseconds(Int64(timeout ?? 500)))
            #expect(try await next.text.contains(problem))
            called.finish()
            #expect(await calls.next() == nil)
        }
    }

    @Test func `a caller with a short deadline pauses no plugin`() async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let isSlow = Mutex(true)
        let clock = ManualClock()
        let likes = FakePlugin.enriching("likes") { ids in
            if isSlow.withLock({ $0 }) {
                called.yield()
                await waitForCancellation()
            }
            return #"{"counts":{"\#(ids[0])":3}}"#
        }
        try await RunningAPI.withRegistry(of: Self.services(likes), clock: clock) { registry in
            let enriching = Enriching(registry)
            async let _: Void = registry.run()
            async let late = enriching.extensions(of: Self.ids, CallOptions(timeout: .milliseconds(50)))
            for await _ in calls { break }
            await clock.advance(by: .milliseconds(25))
            #expect(await late.problems.contains { $0.service == "likes" })
            isSlow.withLock { $0 = false }
            let next = await enriching.extensions(of: Self.ids, CallOptions())
            #expect(next.values(of: Self.ids[0])["likes"]?.description == "3")
        }
    }

    @Test func `a pause ends after five seconds`() async {
        let clock = ManualClock()
        let pauses = EnrichmentPauses(clock)
        #expect(pauses.error(of: "likes") == nil)
        pauses.pause("likes", after: RPCError(.deadlineExceeded, "late"))
        await clock.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(pauses.error(of: "likes")?.kind == .deadlineExceeded && pauses.error(of: "places") == nil)
        await clock.advance(by: .nanoseconds(1))
        #expect(pauses.error(of: "likes") == nil)
    }

    @Test func `a pause drops those that have expired`() async {
        let clock = ManualClock()
        let pauses = EnrichmentPauses(clock)
        for number in 0..<10 { pauses.pause("gone\(number).x", after: RPCError(.deadlineExceeded, "late")) }
        await clock.advance(by: .seconds(5) - .nanoseconds(1))
        pauses.pause("likes.x", after: RPCError(.deadlineExceeded, "late"))
        #expect(pauses.count == 11)
        await clock.advance(by: .nanoseconds(1))
        pauses.pause("likes.y", after: RPCError(.deadlineExceeded, "late"))
        #expect(pauses.count == 2)
    }

    @Test func `an answer has at most 256 KiB`() throws {
        let enrichment = Enrichment(item: .feed, method: "likes.counts", name: "likes")
        let text = #"{"counts":{}"#
        func answer(_ count: Int) -> Payload {
            Payload(
                RawJSON(
                    unchecked: Array((text + String(repeating: " ", count: count - text.utf8.count - 1) + "}").utf8)))
        }
        #expect(try enrichment.values(in: answer(256 * 1_024), for: Self.ids) == [:])
        let error = #expect(throws: RPCError.self) {
            try enrichment.values(in: answer(256 * 1_024 + 1), for: Self.ids)
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.message == "likes.counts: the answer has 262145 bytes, the limit is 262144")
    }

    @Test func `plugins get at most half of the caller's time, so that the page without their values is in time`() {
        let (limit, now) = (TimeAmount.milliseconds(500), NIODeadline.uptimeNanoseconds(1))
        let short = CallOptions(timeout: .milliseconds(400))
        #expect(short.timeOfOptionalCall(upTo: limit, now: now) == .milliseconds(200))
        #expect(short.optional(within: limit, now: now).timeout == .milliseconds(200))
        #expect(CallOptions(timeout: .hours(1)).timeOfOptionalCall(upTo: limit, now: now) == limit)
        #expect(CallOptions.endless().timeOfOptionalCall(upTo: limit, now: now) == limit)
    }

    // MARK: Comments

    @Test(arguments: [AnswerOrigin.store, .remote, .cache])
    func `the numbers of comments are an extension`(origin: AnswerOrigin) async throws {
        var services = Self.services(origin: origin)
        services.counts = { selection, _ in CommentCounts(counts: [selection.imageIDs[0]: 1_234]) }
        let page = try await page(services)
        #expect(page.page.items.map { $0.extensions.mapValues(\.description) } == [["comments": "1234"], [:], [:]])
        // An edge knows only the comments that it has fetched.
        let none = origin == .store ? "No comments yet" : nil
        #expect(page.page.items.map(\.comments) == ["1,234 comments", none, none])
    }

    @Test func `a new comment clears the pages that have its number`() async throws {
        let count = Mutex(1)
        var services = Self.services()
        services.counts = { selection, _ in
            CommentCounts(counts: [selection.imageIDs[0]: count.withLock { $0 }])
        }
        services.post = { comment, _ in
            count.withLock { $0 += 1 }
            return SentComment(
                id: comment.id ?? UUID(), message: comment.message, createdAt: noon,
                author: SentComment.Author(username: comment.username))
        }
        try await RunningAPI.with(services, writeToken: WriteToken("a-token-of-the-tests-0123456789")) {
            api async throws in
            #expect(try await api.exchange("/v1/feed").text.contains(#""comments":1}"#))
            let posted = try await api.post(
                "/v1/image/\(Self.ids[0])/comments",
                ["Authorization: Bearer a-token-of-the-tests-0123456789", "Content-Type: application/json"],
                #"{"message":"Lovely!","username":"ana"}"#)
            #expect(posted.status == 201)
            #expect(try await api.exchange("/v1/feed").text.contains(#""comments":2}"#))
        }
    }

    @Test func `the page shows values that are short`() async throws {
        let likes = FakePlugin.enriching("likes") { #"{"counts":{"\#($0[0])":3,"\#($0[1])":"<b>&"}}"# }
        let raw = FakePlugin.enriching("raw") { #"{"counts":{"\#($0[0])":[1,2]}}"# }
        try await RunningAPI.with(Self.services(likes, raw)) { api async throws in
            let html = try await api.exchange("/", ["Accept: text/html"]).text
            #expect(html.contains(#"<div><dt dir="auto">likes</dt> <dd dir="auto">3</dd></div>"#))
            #expect(html.contains(#"<dd dir="auto">&lt;b&gt;&amp;</dd>"#))
            #expect(!html.contains("raw") && !html.contains(">comments</dt>"))
            #expect(html.components(separatedBy: #"class="chips""#).count == 3)
        }
    }
}
