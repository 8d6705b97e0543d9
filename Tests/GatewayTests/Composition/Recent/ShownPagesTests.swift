import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing
import Timing

@testable import gateway

/// What readers see while the feed does not answer.
@Suite struct ShownPagesTests {
    private static let html = "Accept: text/html"

    private func page(_ numbers: [Int], text: String? = nil) -> LoadedFeed {
        let items = numbers.map {
            FeedItem(id: UUID(number: $0), description: text ?? "Picture \($0)", image: "urn:x:y")
        }
        return LoadedFeed(items: items, nextAfterID: nil, prevBeforeID: nil, origin: .store)
    }

    /// Services whose feed can be stopped.
    private func services(_ error: Watched<RPCError?>) -> FakeServices {
        var services = FakeServices.feed(page([1, 2]))
        let answer = services.load
        services.load = { load, context in
            if let error = error.withLock({ $0 }) { throw error }
            return try await answer(load, context)
        }
        services.get = { selection, _ in
            if let error = error.withLock({ $0 }) { throw error }
            return FeedItem(id: selection.id, description: "Picture", image: "urn:x:y")
        }
        services.list = { _, _ in throw RPCError(.unavailable, "down") }
        return services
    }

    @Test(arguments: [ErrorKind.unavailable, .deadlineExceeded, .overloaded])
    func `the last page and its items are shown with their age, and others are an error`(kind: ErrorKind) async throws {
        let error = Watched<RPCError?>(nil)
        try await RunningAPI.with(services(error)) { api async throws in
            #expect(try await api.exchange("/", [Self.html]).status == 200)
            error.withLock { $0 = RPCError(kind, "on purpose") }
            let page = try await api.exchange("/", [Self.html])
            #expect(page.status == 200 && page.text.contains("Picture 2") && page.text.contains("cached copy"))
            let known = try await api.exchange("/image/\(UUID(number: 1))", [Self.html])
            #expect(known.status == 200 && known.text.contains("Picture 1"))
            // The script of a page has rows already, and shows the error.
            let reload = try await api.exchange("/", [Self.html, "Sec-Fetch-Mode: same-origin"])
            #expect(reload.status == kind.httpStatus)
            // From the top it is the page, of another length.
            #expect(try await api.exchange("/?limit=3", [Self.html]).text.contains("Picture 2"))
            for path in ["/?after_id=\(UUID(number: 2))", "/image/\(UUID(number: 3))"] {
                let unknown = try await api.exchange(path, [Self.html])
                #expect(unknown.status == kind.httpStatus, "\(path)")
            }
            // Other programs are told.
            #expect(try await api.exchange("/v1/feed?limit=7").status >= 400)
        }
    }

    @Test func `a feed that hangs is waited for two seconds`() async throws {
        let (clock, hangs) = (ManualClock(), Watched(false))
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices.feed(page([1]))
        let answer = services.load
        services.load = { load, context in
            if hangs.withLock({ $0 }) {
                called.yield()
                await waitForCancellation()
            }
            return try await answer(load, context)
        }
        try await RunningAPI.with(services, clock: clock) { api async throws in
            #expect(try await api.exchange("/", [Self.html]).status == 200)
            hangs.withLock { $0 = true }
            async let reply = api.exchange("/", [Self.html])
            for await _ in calls { break }
            await clock.advance(by: .seconds(2))
            let text = try await reply.text
            #expect(text.contains("Picture 1") && text.contains("cached copy"))
        }
    }

    @Test func `an unknown image is not an empty page while the feed is down`() async throws {
        var services = FakeServices()
        services.get = { _, _ in throw RPCError(.unavailable, "down") }
        services.list = { _, _ in ListedComments(items: [], nextAfterID: nil, origin: .store) }
        try await RunningAPI.with(services) { api async throws in
            #expect(try await api.exchange("/image/\(UUID())", [Self.html]).status == 503)
        }
    }

    // MARK: Limits

    private func after(_ number: Int) -> LoadFeed { LoadFeed(afterID: UUID(number: number)) }

    @Test(arguments: [(32, true), (33, false)]) func `the last 32 pages are kept`(count: Int, hasFirst: Bool) {
        let shown = ShownPages()
        for number in 1...count { shown.note(page([number]), for: after(number), now: noon) }
        #expect(shown.count == min(count, 32) && (shown.page(for: after(1)) != nil) == hasFirst)
        // A page that is shown again is the newest.
        shown.note(page([2]), for: after(2), now: noon + 1)
        #expect(shown.count == min(count, 32) && shown.page(for: after(2))?.savedAt == noon + 1)
    }

    @Test func `pages of 4 MiB are kept`() {
        let shown = ShownPages()
        for number in 1...10 {
            shown.note(page([number], text: String(repeating: "x", count: 1 << 20)), for: after(number), now: noon)
        }
        #expect(shown.count == 3 && shown.item(UUID(number: 10)) != nil && shown.item(UUID(number: 7)) == nil)
    }

    @Test func `the longest first page stays, and stands for those of other lengths`() {
        let shown = ShownPages()
        shown.note(page([1, 2, 3]), for: LoadFeed(limit: 10), now: noon)
        for number in 1...40 {
            shown.note(page([number]), for: LoadFeed(limit: 1), now: noon)
            shown.note(page([number]), for: after(number), now: noon)
        }
        #expect(shown.page(for: LoadFeed(limit: 10))?.items.count == 3)
        #expect(shown.page(for: LoadFeed(limit: 7))?.items.count == 3 && shown.page(for: after(99)) == nil)
    }

    @Test func `an empty feed is no page to show, and nothing that was shown before it is`() {
        let shown = ShownPages()
        shown.note(page([]), for: LoadFeed(limit: 1), now: noon)
        #expect(shown.count == 0 && shown.page(for: LoadFeed(limit: 1)) == nil)
        shown.note(page([1, 2]), for: LoadFeed(limit: 2), now: noon)
        shown.note(page([]), for: after(2), now: noon)
        #expect(shown.page(for: LoadFeed(limit: 1))?.items.count == 2 && shown.page(for: after(2)) != nil)
        shown.note(page([]), for: LoadFeed(limit: 1), now: noon)
        #expect(shown.page(for: LoadFeed(limit: 2)) == nil && shown.page(for: after(2)) != nil)
    }

    @Test func `pictures are shown while only the feed does not answer`() async throws {
        let error = Watched<RPCError?>(nil)
        var services = services(error)
        services.image = { _, _ in LoadedImageOf(10, sha256: "x").loaded }
        try await RunningAPI.with(services) { api async throws in
            #expect(try await api.exchange("/", [Self.html]).status == 200)
            error.withLock { $0 = RPCError(.unavailable, "down") }
            #expect(try await api.exchange("/v1/image/\(UUID(number: 1))/data").status == 200)
            #expect(try await api.exchange("/v1/image/\(UUID(number: 3))/data").status == 503)
        }
    }

    @Test func `a removed item is not shown again`() {
        let shown = ShownPages()
        shown.note(page([1, 2]), for: LoadFeed(limit: 1), now: noon)
        shown.note(page([3]), for: LoadFeed(limit: 2), now: noon)
        shown.forget([UUID(number: 2)])
        #expect(shown.item(UUID(number: 1)) == nil && shown.item(UUID(number: 3)) != nil)
        shown.forget()
        #expect(shown.count == 0)
    }
}
