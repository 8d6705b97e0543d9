import EdgeModel
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import gateway

struct RecentHintsTests {
    private let clock = ManualClock()
    private let urls = ["https://a.example/a", "https://a.example/b"]

    private func withRecent(
        bytes: Int = 10_000, _ body: (RecentHints) async throws -> Void
    ) async throws {
        var limits = HTTPLimits()
        limits.recentHintsBytes = bytes
        let recent = RecentHints(limits, clock)
        // Cancelled at the end of this scope.
        async let _: Void = recent.run()
        try await body(recent)
    }

    /// Asks while the service knows the first picture with this width, or fails.
    private func ask(
        _ recent: RecentHints, _ urls: [String]? = nil, having width: Int?, _ kind: ErrorKind = .unavailable
    ) async -> Int? {
        let urls = urls ?? self.urls
        return await recent.hints(of: urls) {
            width.map { .success([urls[0]: PictureHints(width: $0, height: 1)]) }
                ?? .failure(RPCError(kind, "not now"))
        }[urls[0]]?.width
    }

    @Test func `the hints of a page are served for a second without another call`() async throws {
        try await withRecent { recent async throws in
            #expect(await ask(recent, having: 1) == 1)
            await clock.advance(by: .milliseconds(750) - .nanoseconds(1))
            #expect(await ask(recent, having: 2) == 1)
            #expect(await ask(recent, [urls[0]], having: 2) == 2)
            await clock.advance(by: .milliseconds(250) + .nanoseconds(1))
            #expect(await ask(recent, having: 3) == 3)
        }
    }

    @Test func `after a failure the service is not asked for five seconds, for any page`() async throws {
        try await withRecent { recent async throws in
            #expect(await ask(recent, having: nil) == nil)
            #expect(await ask(recent, having: 1) == nil)
            await clock.advance(by: .seconds(5) - .nanoseconds(1))
            #expect(await ask(recent, [urls[1]], having: 1) == nil)
            await clock.advance(by: .nanoseconds(1))
            #expect(await ask(recent, having: 1) == 1)
        }
    }

    @Test func `a cancelled call is no failure of the service`() async throws {
        try await withRecent { recent async throws in
            #expect(await ask(recent, having: nil, .cancelled) == nil)
            #expect(await ask(recent, having: 1) == 1)
        }
    }

    @Test func `during a failure known hints are served`() async throws {
        try await withRecent { recent async throws in
            #expect(await ask(recent, having: 1) == 1)
            #expect(await ask(recent, [urls[1]], having: nil) == nil)
            #expect(await ask(recent, having: 2) == 1)
        }
    }

    @Test func `a change clears the cache`() async throws {
        try await withRecent { recent async throws in
            #expect(await ask(recent, having: 1) == 1)
            recent.forget()
            #expect(await ask(recent, having: 2) == 2)
        }
    }

    @Test(arguments: [(0, 1), (1, 2)]) func `the size of the cache is limited`(missing: Int, expected: Int) async throws
    {
        // A page may have half of the budget. Unknown pictures count too.
        let size = urls.reduce(0) { $0 + $1.utf8.count + RecentHints.bytesPerPicture }
        try await withRecent(bytes: 2 * size - missing) { recent async throws in
            #expect(await ask(recent, having: 1) == 1)
            #expect(await ask(recent, having: 2) == expected)
        }
    }
}
