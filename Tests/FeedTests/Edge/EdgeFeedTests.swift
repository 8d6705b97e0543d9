import EdgeKit
import EdgeModel
import Feed
import FeedContract
import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import SQLiteKit
import Synchronization
import Testing

@testable import feed_service

/// `EdgeFeed`: from the upstream first, from the cache when that fails.
struct EdgeFeedTests {
    /// An upstream with scripted answers, which records the requests.
    private final class Script: Sendable {
        private let answers = Mutex<[@Sendable () async throws -> UpstreamAnswer]>([])
        let requests = Recorded<(url: String, headers: [String])>()

        init(_ answers: [UpstreamAnswer]) { for answer in answers { then { answer } } }

        func then(_ answer: @escaping @Sendable () async throws -> UpstreamAnswer) {
            answers.withLock { $0.append(answer) }
        }

        /// Fails when the script has no more answers.
        func fetch(_ url: String, _ headers: [(name: String, value: String)]) async throws -> UpstreamAnswer {
            requests.add((url, headers.map { "\($0.name): \($0.value)" }))
            let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let answer else { throw URLError(.cannotConnectToHost) }
            return try await answer()
        }
    }

    private func withEdge(
        _ answers: [UpstreamAnswer] = [], hasStore: Bool = true, _ body: (EdgeRig, Script) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let script = Script(answers)
            let rig = try EdgeRig(directory, hasStore: hasStore) { try await script.fetch($0, $1) }
            try await body(rig, script)
            #expect(rig.faults.all == [])
        }
    }

    // MARK: Remote

    @Test func `the upstream's answer is served as remote and cached`() async throws {
        try await withEdge([.page([3, 2]), .page([1]), .page([])]) { rig, script in
            let first = try await rig.load(2)
            #expect(first.numbers == [3, 2])
            #expect(first.origin == .remote && first.savedAt == nil && first.notices == nil)
            #expect(first.nextAfterID == UUID(number: 2) && first.prevBeforeID == UUID(number: 3))
            #expect(try await rig.load(2, at: .after(2)).numbers == [1])
            let end = try await rig.load(2, at: .after(1))
            #expect(end.numbers == [] && end.nextAfterID == nil && end.prevBeforeID == nil)
            #expect(script.requests.all.map(\.url).first == "http://up.example/v1/feed?limit=2")
        }
    }

    @Test func `items keep the dates of the upstream, also from the cache`() async throws {
        let items =
            [3, 2].map { #"{"id":"\#(UUID(number: $0))","image":"urn:x:y","published_at":"2026-03-01T12:00:00Z"}"# }
            + [#"{"id":"\#(UUID(number: 1))","image":"urn:x:y"}"#]
        let body = Data(#"{"items":[\#(items.joined(separator: ","))]}"#.utf8)
        try await withEdge([UpstreamAnswer(status: 200, headers: [], body: body)]) { rig, _ in
            let mark = try await rig.cache.lastChange()
            for origin in [AnswerOrigin.remote, .cache] {
                let page = try await rig.load(3)
                #expect(page.origin == origin)
                #expect(page.items.map(\.publishedAt) == [.publication, .publication, nil])
            }
            guard case .change(.published(let new)) = try await rig.cache.news(after: mark)?.content else {
                return #expect(Bool(false))
            }
            #expect(new.map(\.publishedAt) == [.publication, .publication, nil])
        }
    }

    @Test func `the last page is recognised by its links or by the cache`() async throws {
        let last = [("Link", #"<x>; rel="prev""#)] as [(name: String, value: String)]
        let more = [("Link", #"<x>; rel="next""#)] as [(name: String, value: String)]
        try await withEdge([.page([3, 2], more), .page([1], last), .page([1]), .page([3, 2, 1])]) { rig, _ in
            let first = try await rig.load()
            #expect(first.nextAfterID == UUID(number: 2))
            #expect(try await rig.load(at: .after(2)).isLast)
            #expect(try await rig.load(at: .after(2)).isLast)
            #expect(try await rig.load().isLast)
        }
    }

    @Test func `an answer from the upstream's cache has the stated age`() async throws {
        try await withEdge([.page([1], [("Age", "100")])]) { rig, _ in
            let savedAt = rig.clock.now.addingTimeInterval(-100)
            #expect(try await rig.load().savedAt == savedAt)
            rig.clock.advance(50)
            let cached = try await rig.load()
            #expect(cached.origin == .cache && cached.savedAt == savedAt)
            rig.clock.advance(604_800 - 151)
            #expect(try await rig.load().numbers == [1])
            rig.clock.advance(1)
            await #expect(throws: RPCError.self) { try await rig.load() }
        }
    }

    @Test func `a known page is requested conditionally`() async throws {
        let etag = [("ETag", #""1""#), ("Last-Modified", "yesterday")] as [(name: String, value: String)]
        try await withEdge([.page([2, 1], etag), UpstreamAnswer(status: 304), .page([3, 2])]) { rig, script in
            _ = try await rig.load(2)
            rig.clock.advance(1_000)
            let same = try await rig.load(2)
            #expect(same.numbers == [2, 1] && same.origin == .remote)
            #expect(script.requests.all.last?.headers == [#"If-None-Match: "1""#, "If-Modified-Since: yesterday"])
            // A request with another limit has another answer.
            _ = try await rig.load(3)
            #expect(script.requests.all.last?.headers == [])
            #expect(try await rig.load(2).savedAt == rig.clock.now)
        }
    }

    @Test func `while the upstream responds, its answers are served as they are`() async throws {
        // 4 3 2 1 became 1 4 3 2.
        try await withEdge([.page([4, 3, 2, 1]), .page([1]), .page([4, 4, 3])]) { rig, _ in
            _ = try await rig.load(4)
            #expect(try await rig.load(2, at: .before(4)).numbers == [1])
            #expect(try await rig.load(2, at: .after(1)).numbers == [4, 3])
            #expect(try await rig.load(4).numbers == [1, 4, 3, 2])
        }
    }

    @Test func `only the items after the cursor are served`() async throws {
        try await withEdge([.page([5, 4]), .page([5, 4, 3, 2]), .page([9, 5, 4])]) { rig, _ in
            _ = try await rig.load(2)
            #expect(try await rig.load(2, at: .after(4)).numbers == [3, 2])
            #expect(try await rig.load(2, at: .before(5)).numbers == [9])
            #expect(try await rig.load(10).numbers == [9, 5, 4, 3, 2])
        }
    }

    @Test func `a short answer without links is not taken for the last page`() async throws {
        try await withEdge([.page([5, 4, 3, 2, 1]), .page([5, 4])]) { rig, _ in
            _ = try await rig.load(5)
            #expect(try await rig.load(5).nextAfterID == UUID(number: 4))
            #expect(try await rig.load(5).numbers == [5, 4])
            await #expect(throws: RPCError.self) { try await rig.load(5, at: .after(4)) }
        }
    }

    @Test func `an answer that repeats the items before the cursor is rejected`() async throws {
        try await withEdge([.page([2, 1])] + Array(repeating: .page([2, 1]), count: 20)) { rig, script in
            _ = try await rig.load()
            let error = await #expect(throws: RPCError.self) { try await rig.load(at: .after(1)) }
            #expect(error?.kind == .connectivity)
            #expect(script.requests.all.count < 10)
        }
    }

    @Test func `at most limit items are served`() async throws {
        let all = Array((1...9).reversed())
        try await withEdge([.page(all), .page(all)]) { rig, _ in
            let first = try await rig.load(3)
            #expect(first.numbers == [9, 8, 7])
            #expect(try await rig.load(3, at: .after(7)).numbers == [6, 5, 4])
        }
    }

    @Test func `a cursor that the upstream does not know is invalid`() async throws {
        try await withEdge([.page([1]), UpstreamAnswer(status: 400), UpstreamAnswer(status: 400)]) { rig, _ in
            _ = try await rig.load()
            let error = await #expect(throws: RPCError.self) { try await rig.load(at: .after(7)) }
            #expect(error?.kind == .invalidParams)
            // Without a cursor, status 400 is a failure like any other.
            #expect(try await rig.load().origin == .cache)
        }
    }

    @Test(arguments: ["<html>Bad Request</html>", ""])
    func `status 400 without a problem document does not make a cached cursor unknown`(body: String) async throws {
        let refusal = UpstreamAnswer(status: 400, body: Data(body.utf8))
        try await withEdge([.page([3, 2]), .page([1]), refusal]) { rig, _ in
            _ = try await rig.load(2)
            _ = try await rig.load(at: .after(2))
            #expect(try await rig.load(at: .after(2)).numbers == [1])
        }
    }

    @Test func `status 400 with a problem document makes a cached cursor unknown`() async throws {
        let refusal = UpstreamAnswer(status: 400, body: Data(#"{"kind":"invalid_params","status":400}"#.utf8))
        try await withEdge([.page([3, 2]), .page([1]), refusal]) { rig, _ in
            _ = try await rig.load(2)
            _ = try await rig.load(at: .after(2))
            let error = await #expect(throws: RPCError.self) { try await rig.load(at: .after(2)) }
            #expect(error?.kind == .invalidParams)
        }
    }

    // MARK: Cache

    @Test(
        arguments: [
            UpstreamAnswer(status: 500), UpstreamAnswer(status: 404), UpstreamAnswer(status: 304),
            UpstreamAnswer(status: 200),
            UpstreamAnswer(status: 200, body: Data("<html>".utf8)),
            UpstreamAnswer(status: 200, body: Data(#"{"items":null}"#.utf8)),
        ].enumerated().map { ($0.offset, $0.element) })
    func `after any invalid answer the cached page is served and remains cached`(
        number: Int, answer: UpstreamAnswer
    ) async throws {
        try await withEdge([.page([3, 2, 1]), answer]) { rig, _ in
            let savedAt = rig.clock.now
            _ = try await rig.load()
            rig.clock.advance(60)
            let cached = try await rig.load(2)
            #expect(cached.numbers == [3, 2])
            #expect(cached.origin == .cache && cached.savedAt == savedAt)
            #expect(cached.nextAfterID == UUID(number: 2))
        }
    }

    @Test func `an offline page ends at the end of its run`() async throws {
        try await withEdge([.page([3, 2]), .page([1])]) { rig, script in
            _ = try await rig.load()
            _ = try await rig.load(at: .after(2))
            #expect(try await rig.load(at: .after(3)).numbers == [2, 1])
            let error = await #expect(throws: RPCError.self) { try await rig.load(at: .after(1)) }
            #expect(error?.kind == .connectivity)
            script.then { .page([]) }
            _ = try await rig.load(at: .after(1))
            let end = try await rig.load(at: .after(1))
            #expect(end.numbers == [] && end.origin == .cache && end.nextAfterID == nil)
        }
    }

    @Test func `the error says that nothing is cached; the log has the reason`() async throws {
        try await withEdge([UpstreamAnswer(status: 503)]) { rig, _ in
            let error = await #expect(throws: RPCError.self) { try await rig.load() }
            #expect(error?.kind == .connectivity)
            #expect(error?.message.contains("up.example") == false)
            #expect(rig.log.lines.contains { $0.contains("http://up.example") && $0.contains("503") })
        }
    }

    // MARK: Delivered items

    @Test func `a delivered item is available even if the cache cannot be written`() async throws {
        try await withEdge([.page([2, 1])]) { rig, _ in
            try rig.store.close()
            #expect(try await rig.feed.knownItem(UUID(number: 1)) == nil)
            _ = try await rig.load()
            #expect(try await rig.feed.knownItem(UUID(number: 1))?.image.number == 1)
            #expect(try await rig.feed.knownItem(UUID(number: 3)) == nil)
        }
    }

    // MARK: Items

    private static func answer(_ number: Int, id: Int? = nil) -> UpstreamAnswer {
        let json = #"{"id":"\#(UUID(number: id ?? number))","image":"/pictures/\#(number)","description":"new"}"#
        return UpstreamAnswer(status: 200, headers: [("Age", "5")], body: Data(json.utf8))
    }

    @Test func `an item of a page that was not read yet comes from the upstream, once`() async throws {
        try await withEdge([Self.answer(7)]) { rig, script in
            for _ in 1...2 {
                let item = try await rig.feed.item(UUID(number: 7), within: .seconds(3_600)).item
                #expect(item.description == "new" && item.image == "http://up.example/pictures/7")
            }
            #expect(
                script.requests.all.map(\.url) == ["http://up.example/v1/image/\(UUID(number: 7).uuidString)"])
        }
    }

    @Test(arguments: [nil, "https://cdn.example:81/v2/feed"])
    func `relative image URLs begin at the URL that has answered`(
        url: String?
    ) async throws {
        let item = #"{"id":"\#(UUID(number: 7))","image":"/pictures/7"}"#
        let item8 = #"{"id":"\#(UUID(number: 8))","image":"/pictures/8"}"#
        try await withEdge([
            UpstreamAnswer(status: 200, body: Data(#"{"items":[\#(item)]}"#.utf8), url: url),
            UpstreamAnswer(status: 200, body: Data(item8.utf8), url: url),
        ]) { rig, _ in
            let host = url == nil ? "http://up.example" : "https://cdn.example:81"
            #expect(try await rig.load().items.map(\.image) == [host + "/pictures/7"])
            let other = try await rig.feed.item(UUID(number: 8), within: .seconds(3_600)).item
            #expect(other.image == host + "/pictures/8")
        }
    }

    @Test func `a known item is not requested from the upstream`() async throws {
        try await withEdge([.page([2, 1])]) { rig, script in
            _ = try await rig.load()
            let item = try await rig.feed.item(UUID(number: 1), within: .seconds(3_600))
            #expect(item.item.id == UUID(number: 1) && item.origin == .cache && item.savedAt == rig.clock.now)
            #expect(script.requests.all.count == 1)
        }
    }

    @Test(arguments: [400, 404, 405, 410])
    func `an item that the upstream does not have is not found, and the upstream stays healthy`(
        status: Int
    ) async throws {
        try await withEdge([UpstreamAnswer(status: status)]) { rig, _ in
            let error = await #expect(throws: RPCError.self) {
                try await rig.feed.item(UUID(number: 7), within: .seconds(3_600))
            }
            #expect(error?.kind == .notFound)
            #expect(rig.upstream.check.status == .serving)
        }
    }

    @Test(arguments: [
        UpstreamAnswer(status: 503), UpstreamAnswer(status: 200), answer(7, id: 8),
        UpstreamAnswer(status: 200, body: Data(#"{"items":[]}"#.utf8)),
    ])
    func `without a usable answer it is unknown whether an item exists`(answer: UpstreamAnswer) async throws {
        try await withEdge([answer]) { rig, script in
            for _ in 1...2 {
                let error = await #expect(throws: RPCError.self) {
                    try await rig.feed.item(UUID(number: 7), within: .seconds(3_600))
                }
                #expect(error?.kind == .connectivity)
            }
            #expect(rig.upstream.check.status == .degraded)
            // A later good answer is used.
            script.then { Self.answer(7) }
            let item = try await rig.feed.item(UUID(number: 7), within: .seconds(3_600)).item
            #expect(item.description == "new")
        }
    }

    @Test func `delivered items are evicted over the limit`() {
        let delivered = DeliveredItems()
        let now = Date(timeIntervalSince1970: 0)
        func item(_ number: Int) -> FeedImage? { delivered.item(UUID(number: number), now: now)?.image }
        let text = String(repeating: "x", count: 1 << 20)
        for number in 1...40 { delivered.add([picture(number, text)], savedAt: now) }
        #expect(item(40) != nil)
        #expect(item(1) == nil)
        #expect((1...40).count { item($0) != nil } <= DeliveredItems.budget >> 20)
        // The items of at least half the budget remain.
        #expect((34...40).allSatisfy { item($0) != nil })
        // The latest content replaces the earlier one.
        delivered.add([picture(40, "new")], savedAt: now)
        #expect(item(40) == picture(40, "new"))
    }

    @Test func `a removed item is not delivered again, however long ago it was added`() {
        let delivered = DeliveredItems()
        let now = Date(timeIntervalSince1970: 0)
        let numbers = 1...10
        for number in numbers { delivered.add([picture(number, String(repeating: "x", count: 1 << 20))], savedAt: now) }
        #expect(numbers.allSatisfy { delivered.item(UUID(number: $0), now: now) != nil })
        delivered.remove(numbers.map(UUID.init(number:)))
        #expect(numbers.allSatisfy { delivered.item(UUID(number: $0), now: now) == nil })
    }

    @Test func `an expired item that was not deleted yet is not served from the cache`() async throws {
        try await withEdge([.page([1])]) { rig, script in
            _ = try await rig.load()
            rig.clock.advance(604_799)
            #expect(try await rig.feed.knownItem(UUID(number: 1)) != nil)
            rig.clock.advance(1)
            #expect(try await rig.feed.cache.item(UUID(number: 1)) != nil)
            #expect(try await rig.feed.knownItem(UUID(number: 1)) == nil)
            // The upstream is asked again.
            await #expect(throws: RPCError.self) {
                try await rig.feed.item(UUID(number: 1), within: .seconds(3_600))
            }
            #expect(script.requests.all.count == 2)
        }
    }

    @Test func `a removed or expired item is not served from memory`() async throws {
        try await withEdge([.page([3, 2, 1]), .page([2, 1])]) { rig, _ in
            for _ in 1...2 { _ = try await rig.load(3) }
            #expect(try await rig.feed.knownItem(UUID(number: 3)) == nil)
            #expect(try await rig.feed.knownItem(UUID(number: 2)) != nil)
            try rig.store.close()
            rig.clock.advance(604_799)
            #expect(try await rig.feed.knownItem(UUID(number: 2)) != nil)
            rig.clock.advance(1)
            #expect(try await rig.feed.knownItem(UUID(number: 2)) == nil)
        }
    }

    @Test func `a lasting failure is logged once and degrades health`() async throws {
        try await withEdge([.page([1])]) { rig, script in
            _ = try await rig.load()
            #expect(rig.upstream.check.status == .serving)
            for _ in 1...3 { _ = try await rig.load() }
            #expect(rig.upstream.check.status == .degraded)
            #expect(rig.upstream.check.detail?.contains("(3 times)") == true)
            #expect(rig.log.lines.count == 1)
            script.then { .page([2, 1]) }
            #expect(try await rig.load().origin == .remote)
            #expect(rig.upstream.check.status == .serving)
            #expect(rig.log.lines.count == 2)
        }
    }

    @Test func `a slow upstream leaves time for the cached page`() async throws {
        try await withEdge([.page([1])]) { rig, script in
            _ = try await rig.load()
            script.then {
                await waitForCancellation()
                return .page([2])
            }
            async let cached = rig.feed.load(10, at: .start, within: .seconds(4))
            await rig.time.advance(by: TimeAmount(FetchBudget.time(of: .seconds(4))), once: 1)
            #expect(try await cached.origin == .cache)
            #expect(try await cached.numbers == [1])
        }
    }

    @Test func `a cancelled load does not fall back to the cache`() async throws {
        try await withEdge([.page([1])]) { rig, script in
            _ = try await rig.load()
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            script.then {
                begin.finish()
                await waitForCancellation()
                return .page([2])
            }
            let load = Task { try await rig.load() }
            for await _ in begun {}
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            // A cancellation is no failure of the upstream.
            #expect(rig.upstream.check.status == .serving)
        }
    }

    // MARK: Writing to the cache

    @Test func `a page that cannot be cached is served with a notice`() async throws {
        try await withEdge([.page([2, 1]), .page([3])], hasStore: false) { rig, _ in
            let page = try await rig.load()
            #expect(page.numbers == [2, 1] && page.notices == [.notKept] && page.origin == .remote)
            await #expect(throws: StoreError.unreachable) { try await rig.feed.cache.item(UUID(number: 1)) }
            #expect(try await rig.validation.validate() == .kept)
            #expect(try await rig.load().isCached)
        }
    }

    @Test func `a fault of the cache is reported, and the upstream's page is served`() async throws {
        try await withTemporaryDirectory { directory in
            let rig = try EdgeRig(directory, cache: FaultyCache()) { _, _ in .page([2, 1]) }
            let page = try await rig.load()
            #expect(page.numbers == [2, 1] && page.notices == [.notKept] && page.origin == .remote)
            #expect(try await rig.feed.knownItem(UUID(number: 3)) == nil)
            // The answer to the same request was read, the page written and the item read.
            #expect(rig.faults.all == Array(repeating: "Fault()", count: 3))
        }
    }

    @Test func `an unreadable file is set aside and replaced`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            let garbage = Data(repeating: 0x2E, count: 8_192)
            try garbage.write(to: URL(filePath: path))
            let rig = try EdgeRig(directory) { _, _ in .page([1]) }
            #expect(rig.store.check.status == .degraded)
            #expect(try await rig.load().notices == [.notKept])
            #expect(try await rig.validation.validate() == .deleted)
            #expect(rig.store.check.status == .serving)
            #expect(try await rig.load().isCached)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            let corrupt = try #require(names.first { $0.contains(".corrupt-") })
            #expect(try Data(contentsOf: URL(filePath: directory + "/" + corrupt)) == garbage)
        }
    }

    @Test func `a file is set aside when validation finds damage`() async throws {
        try await withTemporaryDirectory { directory in
            let fetch: UpstreamFetch = { _, _ in .page(Array((1...100).reversed())) }
            let first = try EdgeRig(directory, fetch)
            _ = try await first.load(100)
            try first.store.close()
            let path = directory + "/feed-edge.sqlite"
            var bytes = try Data(contentsOf: URL(filePath: path))
            let last = bytes.count - 4_096
            bytes.replaceSubrange(last..<last + 8, with: Data(repeating: 0xFF, count: 8))
            try bytes.write(to: URL(filePath: path))

            let rig = try EdgeRig(directory, fetch)
            #expect(try await rig.validation.validate() == .deleted)
            #expect(try await rig.validation.validate() == .kept)
            #expect(rig.store.check.status == .serving)
            #expect(try await rig.load(100).isCached)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).contains { $0.contains(".corrupt-") })
        }
    }

    @Test(arguments: [0, 4_096]) func `validation sets aside a file that was truncated while in use`(
        size: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let rig = try EdgeRig(directory) { _, _ in .page(Array((1...100).reversed())) }
            _ = try await rig.load(100)
            #expect(truncate(directory + "/feed-edge.sqlite", off_t(size)) == 0)
            #expect(try await rig.validation.validate() == .deleted)
            #expect(try await rig.validation.validate() == .kept)
            #expect(rig.store.check.status == .serving)
            #expect(try await rig.load(100).isCached)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.contains { $0.contains(".corrupt-") })
        }
    }

    @Test func `validation fails when the cache cannot be replaced`() async throws {
        try await withTemporaryDirectory { directory in
            // A file with this name prevents the creation of the directory.
            try Data().write(to: URL(filePath: directory + "/file"))
            let rig = try EdgeRig(directory + "/file") { _, _ in .page([1]) }
            await #expect(throws: StoreError.unreachable) { try await rig.validation.validate() }
        }
    }

    @Test func `validation deletes expired entries`() async throws {
        try await withEdge([.page([1])]) { rig, _ in
            _ = try await rig.load()
            rig.clock.advance(604_799)
            #expect(try await rig.validation.validate() == .kept)
            #expect(try await rig.load().numbers == [1])
            rig.clock.advance(1)
            #expect(try await rig.validation.validate() == .deleted)
            #expect(try await rig.validation.validate() == .kept)
            #expect(try await rig.feed.cache.item(UUID(number: 1)) == nil)
        }
    }

    @Test func `validation runs at the start and daily`() async throws {
        try await withEdge([.page([1])]) { rig, _ in
            let period = TimeAmount(CacheValidation.period)
            _ = try await rig.load()
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                group.addTask { await rig.validation.run() }
                await rig.time.waitForTimers(within: period)
                #expect(try await rig.feed.cache.count() == 1)
                rig.clock.advance(604_800)
                await rig.time.advance(by: period)
                await rig.time.waitForTimers(within: period)
                #expect(try await rig.feed.cache.count() == 0)
                group.cancelAll()
            }
        }
    }

    @Test func `watchers get new items at the top, and those that a reader scrolls to as found`() async throws {
        try await withEdge([
            .page([4, 3]), .page([4, 3]), .page([2, 1]), .page([5, 4]), .page([6]), .page([6, 5, 4, 3, 2, 1, 0]),
        ]) { rig, _ in
            var mark = try await rig.cache.lastChange()
            for _ in 1...2 { _ = try await rig.load(2) }
            _ = try await rig.load(2, at: .after(3))
            _ = try await rig.load(2)
            _ = try await rig.load(2, at: .before(5))
            _ = try await rig.load(7)
            var news: [ChangeNews<FeedChange>.Content] = []
            while let next = try await rig.cache.news(after: mark) {
                news.append(next.content)
                mark = next.mark
            }
            let changes = news.map { content -> FeedChange? in
                guard case .change(let change) = content else { return nil }
                return change
            }
            let items = { (numbers: [Int]) in numbers.map { bare($0) } }
            #expect(
                changes == [
                    .published(items([4, 3])), .found(items([2, 1])), .published(items([5])), .published(items([6])),
                    .found(items([0])),
                ])
        }
    }

    @Test func `watchers learn which items have expired`() async throws {
        try await withEdge([.page([3, 2]), .page([3])]) { rig, _ in
            _ = try await rig.load(2)
            let mark = try await rig.cache.lastChange()
            #expect(try await !rig.feed.dropExpired())
            #expect(try await rig.cache.news(after: mark) == nil)
            rig.clock.advance(FeedCachePolicy.lifetime + 1)
            #expect(try await rig.feed.dropExpired())
            guard case .change(.forgotten(let ids)) = try await rig.cache.news(after: mark)?.content else {
                Issue.record("nothing is forgotten")
                return
            }
            #expect(Set(ids) == [UUID(number: 3), UUID(number: 2)])
        }
    }

    @Test func `without a store a watcher gets a reset, and another one when a store is opened`() async throws {
        try await withEdge([], hasStore: false) { rig, _ in
            let reset = try #require(try await rig.cache.news(after: nil))
            #expect(reset.content == .reset)
            #expect(try await rig.cache.lastChange() == reset.mark)
            #expect(try await rig.cache.news(after: reset.mark) == nil)
            #expect(try await rig.validation.validate() == .kept)
            #expect(try await rig.cache.news(after: reset.mark)?.content == .reset)
        }
    }

    @Test func `a waiting watcher gets a reset when a read finds that the cache was removed`() async throws {
        try await withEdge([.page([1])]) { rig, _ in
            _ = try await rig.load()
            let (broadcast, mark) = (rig.feed.broadcast, try await rig.cache.lastChange())
            async let news = broadcast.next(after: mark)
            await broadcast.wait { $0 == 1 }
            try FileManager.default.removeItem(atPath: rig.store.path)
            await rig.time.advance(by: .milliseconds(100))
            await #expect(throws: StoreError.unreachable) { try await rig.cache.count() }
            #expect(try await news.content == .reset)
        }
    }

    private func bare(_ number: Int) -> FeedImage {
        FeedImage(
            id: UUID(number: number), description: nil, location: nil, image: "https://pictures.example/\(number)")
    }
}

extension LoadedFeed {
    fileprivate var isLast: Bool { nextAfterID == nil }
    fileprivate var isCached: Bool { notices == nil }
}

/// A cache whose operations all fail with an error that no store has.
private struct FaultyCache: FeedCache {
    struct Fault: Error {}

    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID> { throw Fault() }
    func keep(_ page: FetchedFeedPage) async throws -> FeedCacheChange { throw Fault() }
    func remove(_ ids: [UUID], at time: Date) async throws -> [UUID] { throw Fault() }
    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage? { throw Fault() }
    func item(_ id: UUID) async throws -> CachedFeedItem? { throw Fault() }
    func items(withIDs ids: ClosedRange<UUID>, limit: Int, now: Date) async throws -> [FeedImage] { throw Fault() }
    func count() async throws -> Int { throw Fault() }
    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer? { throw Fault() }
    func dropExpired(at now: Date) async throws -> [UUID] { throw Fault() }
    func checkIntegrity() async throws { throw Fault() }
}
