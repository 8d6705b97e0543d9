import EdgeKit
import EdgeModel
import Feed
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import feed_service

/// An upstream that pages by number fulfils the same contract.
struct NumberedSourceTests {
    /// Answers `?page=N&limit=M` from a model.
    private final class Upstream: Sendable {
        let model: Mutex<UpstreamModel>
        let requests = Recorded<String>()

        init(_ count: Int) { model = Mutex(UpstreamModel(count)) }

        func fetch(_ url: String) -> UpstreamAnswer {
            requests.add(String(url.drop { $0 != "?" }))
            let query = URLComponents(string: url)?.queryItems ?? []
            func value(_ name: String) -> Int { query.first { $0.name == name }?.value.flatMap(Int.init) ?? 0 }
            let numbers = model.withLock(\.numbers)
            return .page(Array(numbers.dropFirst((value("page") - 1) * value("limit")).prefix(value("limit"))))
        }
    }

    private func withEdge(_ count: Int, _ body: (EdgeRig, Upstream) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let upstream = Upstream(count)
            let rig = try EdgeRig(directory, isDurable: false, isNumbered: true) { url, _ in upstream.fetch(url) }
            try await body(rig, upstream)
            #expect(rig.faults.all == [])
        }
    }

    @Test func `an upstream that shows only passed items is rejected after six pages`() async throws {
        let pages = Recorded<[UUID]>()
        let source = NumberedSource(
            endpoint: FeedEndpoint(try #require(URL(string: "http://up.example"))),
            fetch: { url, _ in
                let query = URLComponents(string: url)?.queryItems ?? []
                let number = query.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 0
                return .page([200 - 2 * number, 199 - 2 * number])
            }, now: { Date(timeIntervalSince1970: 0) },
            passed: { ids, _ in
                pages.add(ids)
                return Set(ids)
            })
        await #expect(throws: UpstreamMonitor.Failure.rejected("every page repeats the same items")) {
            try await source.page(2, at: .start)
        }
        #expect(pages.all.count == 6)
    }

    @Test func `a walk of an unchanged feed needs at most two requests per page`() async throws {
        try await withEdge(7) { rig, upstream in
            let first = try await rig.load(3)
            #expect(first.numbers == [7, 6, 5])
            #expect(try await rig.load(3, at: .after(5)).numbers == [4, 3, 2])
            #expect(try await rig.load(3, at: .after(2)).numbers == [1])
            #expect(try await rig.load(3, at: .after(1)).numbers == [])
            #expect(upstream.requests.all.first == "?page=1&limit=3")
            #expect(upstream.requests.all.count <= 8)
            #expect(try await rig.load(3, at: .before(4)).numbers == [7, 6, 5])
            #expect(try await rig.load(2, at: .before(5)).numbers == [7, 6])
            #expect(try await rig.load(3, at: .before(7)).numbers == [])
        }
    }

    @Test func `a cursor that was never an item is invalid`() async throws {
        try await withEdge(5) { rig, _ in
            let error = await #expect(throws: RPCError.self) { try await rig.load(3, at: .after(99)) }
            #expect(error?.kind == .invalidParams)
        }
    }

    @Test func `the search for a cursor has a limited number of requests`() async throws {
        try await withEdge(100) { rig, upstream in
            _ = await #expect(throws: RPCError.self) { try await rig.load(1, at: .after(1)) }
            #expect(upstream.requests.all.count == NumberedSource.mostRequests)
        }
    }

    @Test func `a removed item remains a valid cursor`() async throws {
        try await withEdge(9) { rig, upstream in
            _ = try await rig.load(3)
            upstream.model.withLock { model in
                model.remove(7)
                for _ in 1...4 { model.publish() }
            }
            #expect(try await rig.load(3, at: .after(7)).numbers == [6, 5, 4])
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `no item is skipped or repeated when the feed changes during a walk`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await withEdge(40) { rig, upstream in
            var (seen, cursor, removed) = ([Int](), FeedCursor.start, Set<Int>())
            while true {
                let page = try await rig.load(Int.random(in: 2...6, using: &random), at: cursor)
                #expect(page.origin == .remote)
                seen += page.numbers
                guard let last = page.numbers.last else { break }
                cursor = .after(last)
                for _ in 0..<Int.random(in: 0...2, using: &random) { upstream.model.withLock { $0.publish() } }
                // Sometimes the item at the reader's cursor.
                let victim = Bool.random(using: &random) ? last : Int.random(in: 1...40, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    removed.insert(victim)
                    upstream.model.withLock { $0.remove(victim) }
                }
            }
            #expect(Set(seen).count == seen.count, "\(seen)")
            #expect(seen == seen.sorted(by: >), "\(seen)")
            #expect(Set(1...40).subtracting(seen).isSubset(of: removed), "\(seen)")
        }
    }
}
