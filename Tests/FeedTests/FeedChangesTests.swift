import Feed
import Foundation
import GRDB
import RPCTestKit
import ServiceKit
import Testing

@testable import feed_service

/// The changes that the store remembers.
@Suite struct FeedChangesTests {
    private func withStore(_ body: (SQLiteFeedStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await body(SQLiteFeedStore(try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")))
        }
    }

    private func changes(_ store: SQLiteFeedStore, after mark: ChangeMark) async throws -> [FeedChange] {
        var (changes, mark) = ([FeedChange](), mark)
        while let news = try await store.news(after: mark), case .change(let change) = news.content {
            changes.append(change)
            mark = news.mark
        }
        return changes
    }

    @Test func `a change has the new items as they were published`() async throws {
        try await withStore { store in
            let start = try await store.lastChange()
            let new = try await store.publish([
                picture(1, "à la plage 🏖", tags: ["sea"]).with(.full),
                FeedImage(id: UUID(number: 2), description: nil, location: nil, image: "urn:x:y"),
            ])
            #expect(try await changes(store, after: start) == [.published(new)])
        }
    }

    @Test func `a write that fails or changes nothing is no change`() async throws {
        try await withStore { store in
            let start = try await store.lastChange()
            _ = try await store.publish([picture(1)])
            await #expect(throws: FeedStoreError.conflict(picture(1).id)) {
                try await store.publish([picture(2), picture(1, "something else")])
            }
            _ = try await store.publish([picture(1)])
            _ = try await store.remove([picture(7).id])
            _ = try await store.remove([picture(1).id])
            #expect(
                try await changes(store, after: start) == [
                    .published([picture(1).published]), .removed([picture(1).id]),
                ])
        }
    }

    @Test func `a cancelled write is both stored and a change, or neither`() async throws {
        try await withStore { store in
            let start = try await store.lastChange()
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
            let told = try await changes(store, after: start).map { change in
                if case .published(let images) = change { images.map(\.number) } else { [Int]() }
            }
            let stored = try await store.slice(1_000, at: .start).numbers
            #expect(stored == told.reversed().flatMap(\.self))
        }
    }

    /// Two instances have the file open, as two services would.
    @Test func `changes have the order of the writes, whichever instance wrote`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed.sqlite"
            let stores = try (0..<2).map { _ in SQLiteFeedStore(try SQLiteFeedStore.opening.open(path)) }
            let start = try await stores[0].lastChange()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...200 {
                    group.addTask {
                        let store = stores[number % 2]
                        _ = try await store.publish([picture(number)])
                        if number % 5 == 0 { _ = try await store.remove([picture(number).id]) }
                    }
                }
                try await group.waitForAll()
            }
            var feed: [UUID] = []
            for change in try await changes(stores[0], after: start) {
                switch change {
                case .published(let images): feed = images.map(\.id) + feed
                case .removed(let ids): feed.removeAll { ids.contains($0) }
                case .found, .forgotten: Issue.record("\(change)")
                }
            }
            for store in stores { #expect(try await store.slice(1_000, at: .start).items.map(\.id) == feed) }
        }
    }
}
