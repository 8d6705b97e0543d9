import Foundation
import ImageData
import RPC
import Testing

@testable import image_data_service

@Suite(.timeLimit(.minutes(5))) struct ImageFetchesTests {
    private let origin = HeldFetches()

    // MARK: Sharing a fetch

    @Test(arguments: [1, 2, 1_000]) func `concurrent callers share one fetch`(callers: Int) async throws {
        try await withFetches { fetches in
            try await withThrowingTaskGroup(of: CachedImage?.self) { group in
                for _ in 1...callers {
                    group.addTask { try await fetches.image(at: "a", .visible, keepingIn: .all) }
                }
                await origin.wait { $0.begun == ["a"] }
                while fetches.waiters < callers { await Task.yield() }
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
            while fetches.waiters < 3 { await Task.yield() }
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
            while fetches.waiters < 2 { await Task.yield() }
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
            while fetches.load.waiting < 1 { await Task.yield() }
            // These callers join a fetch in progress and a queued one.
            let others = ["a", "b"].map { image(of: $0, fetches, traces[2]) }
            while fetches.waiters < 4 { await Task.yield() }
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
            while fetches.load.waiting < 1 { await Task.yield() }
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
            while fetches.waiters < 2 { await Task.yield() }
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
            while fetches.waiters < 2 { await Task.yield() }
            await origin.wait { $0.begun == ["a"] }
            let next = image(of: "b", fetches)
            for caller in callers { caller.cancel() }
            await origin.wait { $0.cancelled == ["a"] && $0.begun == ["a", "b"] }
            origin.end("b")
            let fetched = try await next.value
            #expect(fetched != nil)
            #expect(fetches.load == (0, 0))
        }
    }

    /// A cancellation at the start of a fetch must also cancel the fetch.
    @Test func `cancelling at any moment leaks nothing`() async throws {
        try await withFetches(concurrency: 2) { fetches in
            for round in 0..<2_000 {
                let caller = image(of: "\(round)", fetches)
                for _ in 0..<round % 7 { await Task.yield() }
                caller.cancel()
                await #expect(throws: CancellationError.self) { try await caller.value }
            }
            while fetches.load.running > 0 || fetches.load.waiting > 0 { await Task.yield() }
            #expect(origin.running == 0)
            #expect(origin.mostRunning <= 2)
            #expect(fetches.traces == 0)
        }
    }

    @Test func `a call cancelled in advance starts no fetch`() async throws {
        try await withFetches { fetches in
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fetches.image(at: "a", .visible, keepingIn: .all)
            }
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(fetches.load == (0, 0))
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
            while fetches.load.running == 0 { await Task.yield() }
            stubborn.cancel()
            await #expect(throws: CancellationError.self) { try await stubborn.value }
            let next = image(of: "b", fetches)
            while fetches.load.waiting == 0 { await Task.yield() }
            #expect(fetches.load == (1, 1))
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
            while fetches.load.running > 1 { await Task.yield() }
            origin.end("c")
            let count = try await prefetch.value
            #expect(count == 3)
            #expect(fetches.load == (0, 0))
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
            while fetches.load.waiting < 20 { await Task.yield() }
            let promoted = image(of: "p20", fetches)
            while fetches.waiters < 3 { await Task.yield() }
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
            #expect(fetches.load == (2, 0))
            let joining = image(of: "1", fetches)
            while fetches.waiters < 1 { await Task.yield() }
            origin.end("1")
            origin.end("2")
            let fetched = try await joining.value
            #expect(fetched != nil)
            while fetches.load.running > 0 { await Task.yield() }
            #expect(origin.begun.sorted() == ["1", "2"])
            #expect(origin.cancelled.isEmpty)
        }
    }

    @Test func `ten thousand fetches are queued, and six run at a time`() async throws {
        try await withFetches { fetches in
            let prefetches = (0..<100).map { batch in
                Task { try await fetches.prefetch((0..<100).map { "\(batch)/\($0)" }) }
            }
            while fetches.load.waiting < 9_994 { await Task.yield() }
            await origin.wait { $0.running == 6 }
            #expect(origin.begun.count == 6)
            for prefetch in prefetches { prefetch.cancel() }
            for prefetch in prefetches { _ = await prefetch.result }
            #expect(fetches.load == (6, 0))
            for url in origin.begun { origin.end(url) }
            while fetches.load.running > 0 { await Task.yield() }
            #expect(origin.begun.count == 6)
            #expect(origin.mostRunning == 6)
        }
    }

    @Test func `over the limit prefetches are dropped and loads rejected`() async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: 1, waitingLimit: 2), fetch: origin.fetch)
        try await running(fetches) {
            let prefetch = Task { try await fetches.prefetch(["a", "b", "c", "d"]) }
            while fetches.waiters == 0 { await Task.yield() }
            await origin.wait { $0.begun == ["a"] }
            let seen = (1...3).map { image(of: "v\($0)", fetches) }
            while fetches.load.waiting < 4 { await Task.yield() }
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

    @Test func `a failed host is retried automatically`() async throws {
        try await withFetches { fetches in
            let failing = image(of: "http://a/1", fetches)
            await origin.wait { $0.begun == ["http://a/1"] }
            origin.end("http://a/1", .failure(ImageOriginError.unreachable("down")))
            await #expect(throws: ImageOriginError.unreachable("down")) { try await failing.value }
            let next = image(of: "http://a/2", fetches)
            let other = image(of: "http://a:81/3", fetches)
            await origin.wait { $0.begun.count == 3 }
            origin.end("http://a/2")
            origin.end("http://a:81/3")
            _ = try await (next.value, other.value)
        }
    }

    // MARK: Shutdown

    @Test func `at shutdown all waiting callers are cancelled`() async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: 1), fetch: origin.fetch)
        let run = Task { await fetches.run() }
        let callers = ["a", "a", "b"].map { image(of: $0, fetches) }
        let prefetch = Task { try await fetches.prefetch(["c"]) }
        while fetches.waiters < 4 { await Task.yield() }
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

    private func withFetches(concurrency: Int = 6, _ body: (ImageFetches) async throws -> Void) async throws {
        let fetches = ImageFetches(queue: FetchQueue(concurrency: concurrency), fetch: origin.fetch)
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
