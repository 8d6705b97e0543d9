import Feed
import Foundation
import RPCTestKit
import ServiceKit
import Synchronization
import Testing

@testable import feed_service

struct BroadcastingFeedStoreTests {
    @Test func `writes are broadcast in commit order, however late the store returns`() async throws {
        let broadcast = ChangeBroadcast<FeedChange>(life: "this")
        let inner = LateFeedStore(broadcast)
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
        #expect(inner.hasBroadcast)
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
            var writes: [Task<Void, any Error>] = []
            await withTaskGroup(of: Void.self) { group in
                for number in 1...300 {
                    let write = Task { _ = try await store.publish([picture(number)]) }
                    // Cancelled when it is about to begin, is under way or waits.
                    let earlier = writes.suffix(3).randomElement(using: &random)
                    group.addTask {
                        _ = await earlier?.result
                        write.cancel()
                        _ = await write.result
                    }
                    writes.append(write)
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

/// Commits at once and returns later, so that another write could begin before that.
private final class LateFeedStore: FeedStore {
    private let broadcast: ChangeBroadcast<FeedChange>
    private let state = Mutex((changes: [FeedChange](), hasBroadcast: true))

    init(_ broadcast: ChangeBroadcast<FeedChange>) { self.broadcast = broadcast }

    var committed: [FeedChange] { state.withLock(\.changes) }

    /// Whether each write began after the broadcast of the one before.
    var hasBroadcast: Bool { state.withLock(\.hasBroadcast) }

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] {
        await commit(.published(items))
        return items
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        await commit(.removed(ids))
        return ids
    }

    private func commit(_ change: FeedChange) async {
        state.withLock { state in
            if broadcast.mark.number != state.changes.count { state.hasBroadcast = false }
            state.changes.append(change)
        }
        // Here another write could begin.
        await Task.yield()
    }

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice { FeedSlice(items: [], hasMore: false) }
    func item(_ id: UUID) async throws -> FeedImage? { nil }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] { [] }
    func count() async throws -> Int { committed.count }
    func checkIntegrity() async throws {}
}
