import Feed
import Foundation
import RPCTestKit
import ServiceKit
import Synchronization
import Testing

@testable import feed_service

@Suite(.timeLimit(.minutes(5))) struct BroadcastingFeedStoreTests {
    @Test func `writes are broadcast in commit order, however late the store returns`() async throws {
        let (inner, broadcast) = (LateFeedStore(), ChangeBroadcast<FeedChange>(life: "this"))
        let store = BroadcastingFeedStore(store: inner, broadcast: broadcast)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    _ =
                        number % 3 == 0
                        ? try await store.remove([picture(number).id]).count
                        : try await store.publish([picture(number)]).count
                }
            }
            try await group.waitForAll()
        }
        let committed = inner.committed
        #expect(committed.count == 200)
        #expect(changes(broadcast) == committed)
    }

    @Test func `a write that fails or changes nothing is not broadcast and does not block the next`() async throws {
        let broadcast = ChangeBroadcast<FeedChange>(life: "this")
        let store = BroadcastingFeedStore(store: InMemoryFeedStore(), broadcast: broadcast)
        _ = try await store.publish([picture(1)])
        await #expect(throws: FeedStoreError.conflict(picture(1).id)) {
            try await store.publish([picture(2), picture(1, "something else")])
        }
        _ = try await store.publish([picture(1)])
        _ = try await store.remove([picture(7).id])
        _ = try await store.remove([picture(1).id])
        #expect(changes(broadcast) == [.published([picture(1).published]), .removed([picture(1).id])])
    }

    @Test func `a cancelled write is both stored and broadcast, or neither`() async throws {
        try await withTemporaryDirectory { directory in
            let broadcast = ChangeBroadcast<FeedChange>(life: "this")
            let store = BroadcastingFeedStore(
                store: SQLiteFeedStore(try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")),
                broadcast: broadcast)
            var random = SeededRandom(seed: 7)
            let yields = (1...300).map { _ in Int.random(in: 0...60, using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for (index, yields) in yields.enumerated() {
                    let write = Task { _ = try await store.publish([picture(index + 1)]) }
                    group.addTask {
                        for _ in 0..<yields { await Task.yield() }
                        write.cancel()
                        _ = await write.result
                    }
                }
            }
            let told = changes(broadcast).map { change in
                if case .published(let images) = change { images.map(\.number) } else { [Int]() }
            }
            let stored = try await store.slice(1_000, at: .start).numbers
            #expect(stored == told.reversed().flatMap(\.self))
        }
    }

    private func changes(_ broadcast: ChangeBroadcast<FeedChange>) -> [FeedChange] {
        var (changes, mark) = ([FeedChange](), ChangeMark(life: "this", number: 0))
        while let news = broadcast.news(after: mark), case .change(let change) = news.content {
            changes.append(change)
            mark = news.mark
        }
        return changes
    }
}

/// Commits at once and returns later, so that a later write may return first.
private final class LateFeedStore: FeedStore {
    private let changes = Mutex<[FeedChange]>([])

    var committed: [FeedChange] { changes.withLock { $0 } }

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] {
        changes.withLock { $0.append(.published(items)) }
        await answer()
        return items
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        changes.withLock { $0.append(.removed(ids)) }
        await answer()
        return ids
    }

    private func answer() async { for _ in 0..<Int.random(in: 0...20) { await Task.yield() } }

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice { FeedSlice(items: [], hasMore: false) }
    func item(_ id: UUID) async throws -> FeedImage? { nil }

    func count() async throws -> Int { committed.count }
    func checkIntegrity() async throws {}
}
