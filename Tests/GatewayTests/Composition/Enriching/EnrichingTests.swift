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

@testable import gateway

/// What plugins add to the items of the feed.
@Suite(.timeLimit(.minutes(5))) struct EnrichingTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }

    /// Limits that a slow machine does not exceed.
    private static let patient: EnrichmentLimits = {
        var limits = EnrichmentLimits()
        (limits.timeout, limits.pause) = (.minutes(5), .minutes(5))
        return limits
    }()

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
    private func page(_ services: FakeServices, _ limits: EnrichmentLimits = patient) async throws -> FeedPageAnswer {
        try await RunningAPI.withRegistry(of: services) { registry in
            let gateway = Gateway(registry, HTTPLimits(), limits)
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
        try await RunningAPI.with(Self.services(likes), enrichment: Self.patient) { api async throws in
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
        let begun = Mutex<Set<String>>([])
        let plugins = ["likes", "places"].map { name in
            FakePlugin.enriching(name) { ids in
                begun.withLock { _ = $0.insert(name) }
                while begun.withLock({ $0.count }) < 2 { await Task.yield() }
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
        try await RunningAPI.with(services, enrichment: Self.patient) { api async throws in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.text.hasSuffix(#"],"problems":[{"service":"hostile","kind":"invalid_data"}]}"#))
            #expect(reply.status == 200 && reply.text.contains(#""extensions":{"good":1}"#))
            let html = try await api.exchange("/", ["Accept: text/html"])
            #expect(html.status == 200 && html.text.contains("hostile") && !html.text.contains("<dt>hostile"))
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

    @Test(arguments: [true, false])
    func `a page does not wait for a plugin that hangs, and the next pages do not ask it`(
        isManifest: Bool
    ) async throws {
        let calls = Mutex(0)
        let log = RecordedLog()
        let hanging = FakePlugin.enriching("hanging", timeout: isManifest ? 50 : nil) { _ in
            calls.withLock { $0 += 1 }
            try await Task.sleep(for: .seconds(600))
            return "{}"
        }
        var limits = Self.patient
        limits.timeout = isManifest ? .seconds(60) : .milliseconds(50)
        var http = HTTPLimits()
        http.recentPagesTime = .nanoseconds(1)
        try await RunningAPI.with(
            Self.services(hanging), limits: http, logger: log.logger, enrichment: limits
        ) { api async throws in
            for _ in 0..<5 {
                let reply = try await api.exchange("/v1/feed")
                #expect(reply.text.contains(#"{"service":"hanging","kind":"deadline_exceeded"}"#), "\(reply.text)")
            }
            // None, if the connection took longer.
            #expect(calls.withLock { $0 } <= 1)
            #expect(log.lines.count { $0.contains("hanging.values") } == 1, "\(log.lines)")
        }
    }

    @Test func `a caller with a short deadline pauses no plugin`() async throws {
        let isSlow = Mutex(true)
        let likes = FakePlugin.enriching("likes") { ids in
            if isSlow.withLock({ $0 }) { try await Task.sleep(for: .seconds(600)) }
            return #"{"counts":{"\#(ids[0])":3}}"#
        }
        try await RunningAPI.withRegistry(of: Self.services(likes)) { registry in
            let enriching = Enriching(registry, Self.patient)
            async let _: Void = registry.run()
            let late = await enriching.extensions(of: Self.ids, CallOptions(timeout: .milliseconds(50)))
            #expect(late.problems.contains { $0.service == "likes" })
            isSlow.withLock { $0 = false }
            let next = await enriching.extensions(of: Self.ids, CallOptions())
            #expect(next.values(of: Self.ids[0])["likes"]?.description == "3")
        }
    }

    @Test func `a pause ends after five seconds`() {
        let clock = Monotonic()
        let pauses = EnrichmentPauses(EnrichmentLimits(), now: clock.now)
        #expect(pauses.error(of: "likes") == nil)
        pauses.pause("likes", after: RPCError(.deadlineExceeded, "late"))
        clock.advance(.seconds(5) - .nanoseconds(1))
        #expect(pauses.error(of: "likes")?.kind == .deadlineExceeded && pauses.error(of: "places") == nil)
        clock.advance(.nanoseconds(1))
        #expect(pauses.error(of: "likes") == nil)
    }

    @Test func `a pause drops those that have expired`() {
        let clock = Monotonic()
        let pauses = EnrichmentPauses(EnrichmentLimits(), now: clock.now)
        for number in 0..<10 { pauses.pause("gone\(number).x", after: RPCError(.deadlineExceeded, "late")) }
        clock.advance(.seconds(5) - .nanoseconds(1))
        pauses.pause("likes.x", after: RPCError(.deadlineExceeded, "late"))
        #expect(pauses.count == 11)
        clock.advance(.nanoseconds(1))
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
        let limit = TimeAmount.milliseconds(500)
        #expect(CallOptions(timeout: .milliseconds(400)).timeOfOptionalCall(upTo: limit) <= .milliseconds(200))
        #expect(CallOptions(timeout: .hours(1)).timeOfOptionalCall(upTo: limit) == limit)
        #expect(CallOptions.endless().timeOfOptionalCall(upTo: limit) == limit)
    }

    @Test func `a page waits for a plugin at most half a second`() {
        #expect(EnrichmentLimits().timeout == .milliseconds(500) && EnrichmentLimits().pause == .seconds(5))
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
        var limits = HTTPLimits()
        limits.recentPagesTime = .minutes(5)
        try await RunningAPI.with(
            services, limits: limits, writeToken: WriteToken("a-token-of-the-tests-0123456789"),
            enrichment: Self.patient
        ) { api async throws in
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
        try await RunningAPI.with(Self.services(likes, raw), enrichment: Self.patient) { api async throws in
            let html = try await api.exchange("/", ["Accept: text/html"]).text
            #expect(html.contains(#"<div><dt>likes</dt> <dd dir="auto">3</dd></div>"#))
            #expect(html.contains(#"<dd dir="auto">&lt;b&gt;&amp;</dd>"#))
            #expect(!html.contains("raw") && !html.contains("<dt>comments"))
            #expect(html.components(separatedBy: #"class="extensions""#).count == 3)
        }
    }
}
