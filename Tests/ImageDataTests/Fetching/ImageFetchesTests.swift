import Foundation
import ImageData
import NIOCore
import RPC
import RPCTestKit
import Testing
import Timing

@testable import image_data_service

struct ImageFetchesTests {
    private let origin = HeldFetches()

    // MARK: Sharing a fetch

    @Test(arguments: [1, 2, 1_000]) func `concurrent callers share one fetch`(callers: Int) async throws {
        try await withFetches { fetches in
            try await withThrowingTaskGroup(of: CachedImage?.self) { group in
                for _ in 1...callers {
                    group.addTask { try await fetches.image(at: "a", .visible, keepingIn: .all) }
                }
                await origin.wait { $0.begun == ["a"] }
                await fetches.wait { $0.callers == callers }
                origin.end("a")
                for try await image in group { #expect(image == CachedImage(stored(1))) }
            }
            #expect(origin.begun == ["a"])
        }
    }

    @Test func `an error reaches all callers, and the next caller starts a new fetch`() async throws {
        try await withFetches { fetches in
            let callers = (1...3).map { _ in image(of: "a", fetches) }
            await origin.wait { $0.begun == ["a"] }
            await fetches.wait { $0.callers == 3 }
            origin.end("a", .failure(ImageOriginError.forbidden("no")))
            for caller in callers {
                await #expect(throws: ImageOriginError.forbidden("no")) { try await caller.value }
            }
            let next = image(of: "a", fetches)
            await origin.wait { $0.begun == ["a", "a"] }
            origin.end("a")
            let fetched = try await next.value
            #expect(fetched != nil)
        }
    }

    @Test func `an image stored in the meantime is not fetched`() async throws {
        try await withFetches { fetches in
            let image = try await fetches.image(at: "a", .visible, keepingIn: .all, unless: { true })
            #expect(image == nil)
            #expect(try await fetches.prefetch(["a", "b"], unless: { _ in true }) == 0)
            #expect(origin.begun.isEmpty)
        }
    }

    @Test func `the result is stored in the caches of all callers`() async throws {
        try await withFetches { fetches in
            let cold = Task { try await fetches.image(at: "a", .visible, keepingIn: .cold) }
            await origin.wait { $0.begun == ["a"] }
            #expect(origin.tiers(of: "a") == .cold)
            let hot = Task { try await fetches.image(at: "a", .visible, keepingIn: .hot) }
            await fetches.wait { $0.callers == 2 }
            #expect(origin.tiers(of: "a") == .all)
            origin.end("a")
            _ = try await (cold.value, hot.value)
        }
    }

    // MARK: Traces

    @Test func `a fetch has the trace context of its first caller`() async throws {
        let traces = (1...3).map { _ in TraceContext.random() }
        try await withFetches(concurrency: 1) { fetches in
            let first = image(of: "a", fetches, traces[0])
            await origin.wait { $0.begun == ["a"] }
            let prefetch = TraceContext.$current.withValue(traces[1]) { Task { try await fetches.prefetch(["b"]) } }
            await fetches.wait { $0.waiting == 1 }
            // These callers join a fetch in progress and a queued one.
            let others = ["a", "b"].map { image(of: $0, fetches, traces[2]) }
            await fetches.wait { $0.callers == 4 }
            origin.end("a")
            await origin.wait { $0.begun == ["a", "b"] }
            origin.end("b")
            for caller in [first] + others { _ = try await caller.value }
            _ = try await prefetch.value
            #expect(origin.traces == Array(traces.prefix(2)))
        }
    }

    @Test func `a fetch after an eviction has the trace context of its own first caller`() async throws {
        let traces = (1...2).map { _ in TraceContext.random() }
        try await withFetches(concurrency: 1) { fetches in
            let retired = image(of: "a", fetches, traces[0])
            await origin.wait { $0.begun == ["a"] }
            fetches.retire(["a"])
            let next = image(of: "a", fetches, traces[1])
            await fetches.wait { $0.waiting == 1 }
            origin.end("a")
            await origin.wait { $0.begun == ["a", "a"] }
            origin.end("a")
            _ = try await (retired.value, next.value)
            #expect(origin.traces == traces)
        }
    }

    // MARK: Cancelling

    @Test func `cancelling one caller does not affect the others`() async throws {
        try await withFetches { fetches in
            let leaving = image(of: "a", fetches)
            let staying = image(of: "a", fetches)
            await fetches.wait { $0.callers == 2 }
            await origin.wait { $0.begun == ["a"] }
            leaving.cancel()
            await #expect(throws: CancellationError.self) { try await leaving.value }
            #expect(origin.cancelled.isEmpty)
            origin.end("a")
            let fetched = try await staying.value
            #expect(fetched == CachedImage(stored(1)))
        }
    }

    @Test func `cancelling the last caller cancels the fetch and frees its slot`() async throws {
        try await withFetches(concurrency: 1) { fetches in
            let callers = (1...2).map { _ in image(of: "a", fetches) }
            await fetches.wait { $0.callers == 2 }
            await origin.wait { $0.begun == ["a"] }
            let next = image(of: "b", fetches)
            for caller in callers { caller.cancel() }
            await origin.wait { $0.cancelled == ["a"] && $0.begun == ["a", "b"] }
            origin.end("b")
            let fetched = try await next.value
            #expect(fetched != nil)
            #expect(fetches.load == .none)
        }
    }

    /// A cancellation at the start of a fetch must also cancel the fetch.
    @Test func `cancelling at any moment leaks nothing`() async throws {
        try await withFetches(concurrency: 2) { fetches in
            for round in 0..<2_000 {
                let url = "\(round)"
                let caller = image(of: url, fetches)
                switch round % 4 {
                case 0: break
                case 1: await fetches.wait { $0.callers == 1 }
                case 2: await fetches.wait { $0.callers == 1 && $0.running > 0 }
                default: await origin.wait { $0.begun.suffix(4).contains(url) }
                }
                caller.cancel()
                await #expect(throws: CancellationError.self) { try await caller.value }
            }
            await fetches.wait { $0 == .none }
            #expect(origin.running == 0)
            #expect(origin.mostRunning <= 2)
        }
    }

    @Test func `a call cancelled in advance starts no fetch`() async throws {
        try await withFetches { fetches in
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fetches.image(at: "a", .visible, keepingIn: .all)
            }
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(fetches.load == .none)
            #expect(origin.begun.isEmpty)
        }
    }

    @Test func `a cancelled fetch occupies its slot until it has ended`() async throws {
        let (gone, goes) = AsyncStream.makeStream(of: Void.self)
        let fetches = ImageFetches(queue: FetchQueue(concurrency: 1)) { [origin] url, tiers in
            if url == "stubborn" {
                // This fetch ignores the cancellation.
                await Task { for await _ in gone {} }.value
                throw CancellationError()
            }
            return try await origin.fetch(url, tiers)
        }
        try await running(fetches) {
            let stubborn = image(of: "stubborn", fetches)
            await fetches.wait { $0.running == 1 }
            stubborn.cancel()
            await #expect(throws: CancellationError.self) { try await stubborn.value }
            let next = image(of: "b", fetches)
            await fetches.wait { $0.waiting == 1 }
            #expect((fetches.load.running, fetches.load.waiting) == (1, 1))
            goes.finish()
            await origin.wait { $0.begun == ["b"] }
            origin.end("b")
            let fetched = try await next.value
            #expect(fetched != nil)
        }
    }

    // MARK: Prefetching

    @Test func `a prefetch returns when all its fetches have ended`() async throws {
        try await withFetches { fetches in
            let prefetch = Task { try await fetches.prefetch(["a", "b", "c", "a"]) }
            await origin.wait { $0.begun.sorted() == ["a", "b", "c"] }
            origin.end("a")
            origin.end("b", .failure(ImageOriginError.malformed("odd")))
            await fetches.wait { $0.running == 1 }
            origin.end("c")
            let count = try await prefetch.value
            #expect(count == 3)
            #expect(fetches.load == .none)
        }
    }

    @Test func `a prefetch of no URLs returns at once`() async throws {
        try await withFetches { fetches in
            let count = try await fetches.prefetch([])
            #expect(count == 0)
        }
    }

    @Test func `images are prefetched in order, after loads`() async throws {
        try await withFetches(concurrency: 1) { fetches in
            let first = image(of: "first", fetches)
            await origin.wait { $0.begun == ["first"] }
            let urls = (1...20).map { "p\($0)" }
            let prefetch = Task { try await fetches.prefetch(urls) }
            await fetches.wait { $0.waiting == 20 }
            let promoted = image(of: "p20", fetches)
            await fetches.wait { $0.callers == 3 }
            let expected = ["first", "p20"] + urls.dropLast()
            for (index, url) in expected.enumerated() {
                await origin.wait { $0.begun.count == index + 1 }
                origin.end(url)
            }
            _ = try await (first.value, promoted.value, prefetch.value)
            #expect(origin.begun == expected)
        }
    }

    @Test func `a cancelled prefetch finishes fetches in progress and starts no others`() async throws {
        try await withFetches(concurrency: 2) { fetches in
            let prefetch = Task { try await fetches.prefetch((1...10).map { "\($0)" }) }
            await origin.wait { $0.begun.sorted() == ["1", "2"] }
            prefetch.cancel()
            await #expect(throws: CancellationError.self) { try await prefetch.value }
            #expect((fetches.load.running, fetches.load.waiting) == (2, 0))
            let joining = image(of: "1", fetches)
            await fetches.wait { $0.callers == 1 }
            origin.end("1")
            origin.end("2")
            let fetched = try await joining.value
            #expect(fetched != nil)
            await fetches.wait { $0.running == 0 }
            #expect(origin.begun.sorted() == ["1", "2"])
            #expect(origin.cancelled.isEmpty)
        }
    }

    @Test func `ten thousand fetches are queued, and six run at a time`() async throws {
        try await withFetches { fetches in
            let prefetches = (0..<100).map { batch in
                Task { try await fetches.prefetch((0..<100).map { "\(batch)/\($0)" }) }
            }
            await fetches.wait { $0.waiting == 9_994 }
            await origin.wait { $0.running == 6 }
            #expect(origin.begun.count == 6)
            for prefetch in prefetches { prefetch.cancel() }
            for prefetch in prefetches { _ = await prefetch.result }
            #expect((fetches.load.running, fetches.load.waiting) == (6, 0))
            for url in origin.begun { origin.end(url) }
            await fetches.wait { $0.running == 0 }
            #expect(origin.begun.count == 6)
            #expect(origin.mostRunning == 6)
        }
    }

    @Test func `over the limit prefetches are dropped and loads rejected`() async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: 1, waitingLimit: 2), fetch: origin.fetch)
        try await running(fetches) {
            let prefetch = Task { try await fetches.prefetch(["a", "b", "c", "d"]) }
            await fetches.wait { $0.callers == 1 }
            await origin.wait { $0.begun == ["a"] }
            let seen = (1...3).map { image(of: "v\($0)", fetches) }
            await fetches.wait { $0.waiting == 4 }
            await #expect(throws: ImageFetches.TooManyWaiting.self) {
                try await fetches.image(at: "v4", .visible, keepingIn: .all)
            }
            for caller in seen { caller.cancel() }
            for caller in seen { _ = await caller.result }
            for url in ["a", "b"] {
                await origin.wait { $0.begun.last == url }
                origin.end(url)
            }
            let count = try await prefetch.value
            #expect(count == 2)
        }
    }

    // MARK: Hosts that fail

    @Test func `a failed host is retried when its pause has ended`() async throws {
        let clock = ManualClock()
        try await withFetches(clock: clock) { fetches in
            let failing = image(of: "http://a/1", fetches)
            await origin.wait { $0.begun == ["http://a/1"] }
            origin.end("http://a/1", .failure(ImageOriginError.unreachable("down")))
            await #expect(throws: ImageOriginError.unreachable("down")) { try await failing.value }
            #expect(fetches.isHostInTrouble("http://a/2"))
            let next = image(of: "http://a/2", fetches)
            await fetches.wait { $0.waiting == 1 }
            // Another port is another host.
            let other = image(of: "http://a:81/3", fetches)
            await origin.wait { $0.begun.last == "http://a:81/3" }
            let pause = TimeAmount(HostBackoff.pause)
            await clock.advance(by: pause - .nanoseconds(1))
            await clock.advance(by: .nanoseconds(1), once: 1)
            await origin.wait { $0.begun.last == "http://a/2" }
            origin.end("http://a/2")
            origin.end("http://a:81/3")
            _ = try await (next.value, other.value)
            #expect(!fetches.isHostInTrouble("http://a/2"))
        }
    }

    // MARK: Shutdown

    @Test func `at shutdown all waiting callers are cancelled`() async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: 1), fetch: origin.fetch)
        let run = Task { await fetches.run() }
        let callers = ["a", "a", "b"].map { image(of: $0, fetches) }
        let prefetch = Task { try await fetches.prefetch(["c"]) }
        await fetches.wait { $0.callers == 4 }
        run.cancel()
        await run.value
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        _ = try await prefetch.value
        #expect(origin.running == 0)
        // Later callers are cancelled too.
        await #expect(throws: CancellationError.self) { try await image(of: "d", fetches).value }
        #expect(try await fetches.prefetch(["d"]) == 0)
    }

    // MARK: Fetches

    private func withFetches(
        concurrency: Int = 6, clock: any MonotonicClock = .system, _ body: (ImageFetches) async throws -> Void
    ) async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: concurrency), clock: clock, fetch: origin.fetch)
        try await running(fetches) { try await body(fetches) }
    }

    private func running(_ fetches: ImageFetches, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await fetches.run() }
            try await body()
        }
    }

    private func image(
        of url: String, _ fetches: ImageFetches, _ trace: TraceContext = TraceContext()
    ) -> Task<CachedImage?, any Error> {
        TraceContext.$current.withValue(trace) { Task { try await fetches.image(at: url, .visible, keepingIn: .all) } }
    }
}
