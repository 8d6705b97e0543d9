import Comments
import Foundation
import RPCTestKit
import Testing

@testable import comments_service

extension StoreFactory<any CommentsStore> {
    /// All stores.
    static let all =
        [
            StoreFactory(inMemory: { InMemoryCommentsStore() }),
            StoreFactory("SQLite on disk") {
                SQLiteCommentsStore(try SQLiteCommentsStore.opening.open($0 + "/comments.sqlite"))
            },
        ] + inDatabases { PostgresCommentsStore(try .database($0)) }
}

/// The specs of every store of comments.
@Suite struct CommentsStoreSpecs {
    typealias Factory = StoreFactory<any CommentsStore>

    private let image = UUID(number: 0)

    @Test(arguments: Factory.all) func `an unknown image has no comments`(stores: Factory) async throws {
        try await stores.withStore { store in
            let slice = try await store.slice(10, of: image, after: nil)
            #expect(slice == CommentsSlice(items: [], hasMore: false))
            #expect(try await store.counts(of: [image]) == [:])
        }
    }

    @Test(arguments: Factory.all) func `the first pages have the order of the images`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.post([draft(1), draft(2, on: 9), draft(3), draft(4)])
            let first = try await store.firstPages(2, of: [9, 5, 0].map(UUID.init(number:)))
            #expect(first.pages.map(\.imageID.number) == [9, 5, 0])
            #expect(first.pages.map { $0.page.items.map(\.id.number) } == [[2], [], [1, 3]])
            #expect(first.pages.map { $0.page.nextAfterID?.number } == [nil, nil, 3])
            #expect(first.rest == [])
        }
    }

    // MARK: Posting

    @Test(arguments: Factory.all) func `a comment is read as it was posted`(stores: Factory) async throws {
        try await stores.withStore { store in
            let posted = try await store.post(draft(1, saying: "Où ? 🏖\nLà.", by: "Zoë"), now: moment(5.9))
            let expected = ImageComment(
                id: UUID(number: 1), imageID: image, message: "Où ? 🏖\nLà.", createdAt: moment(5), username: "Zoë")
            #expect(posted == PostedComment(expected, isNew: true))
            #expect(try await store.slice(10, of: image, after: nil).items == [expected])
        }
    }

    @Test(arguments: Factory.all) func `the comments of each image are in the order of their time`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            try await store.post([
                draft(1), draft(5, on: 9), draft(2, at: moment(-1_000)), draft(6, on: 9), draft(3, at: moment(-2_000)),
                draft(4, at: moment(1_000)),
            ])
            #expect(try await store.slice(10, of: image, after: nil).numbers == [3, 2, 1, 4])
            #expect(try await store.slice(10, of: UUID(number: 9), after: nil).numbers == [5, 6])
        }
    }

    @Test(
        arguments: Factory.all,
        [(0.0, 100.0), (-1, 100), (-3_600, 100), (-86_300, 100), (-86_301, -86_301), (-86_302, -86_302)])
    func `a comment that is posted after the clock was set back is behind the earlier ones`(
        stores: Factory, times: (now: Double, createdAt: Double)
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.post(draft(1), now: moment(100))
            // The time of an import is none of the clock.
            _ = try await store.post(draft(2, at: moment(200_000)), now: moment(100))
            let posted = try await store.post(draft(3), now: moment(times.now))
            #expect(posted.comment.createdAt == moment(times.createdAt))
            let order = try await store.slice(10, of: image, after: nil).numbers
            #expect(order == (times.createdAt == 100 ? [1, 3, 2] : [3, 1, 2]))
        }
    }

    @Test(arguments: Factory.all) func `comments of the same second are in the order of posting`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            // A comment's time has no fraction of a second.
            try await store.post([draft(3), draft(1, at: moment(0.9)), draft(2, at: moment(0.1)), draft(4)])
            #expect(try await store.slice(10, of: image, after: nil).numbers == [3, 1, 2, 4])
        }
    }

    @Test(arguments: Factory.all, 1...5) func `a walk with any page size is in the order of time`(
        stores: Factory, limit: Int
    ) async throws {
        try await stores.withStore { store in
            // Times that decrease, increase and repeat.
            let times = [9, 3, 3, 7, -5, 3, 9, 0, 3, 7]
            try await store.post(times.enumerated().map { draft($0 + 1, at: moment(Double($1))) })
            let expected = times.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
            var (seen, cursor) = ([Int](), UUID?.none)
            repeat {
                let page = try await store.slice(limit, of: image, after: cursor)
                seen += page.numbers
                cursor = page.hasMore ? page.items.last?.id : nil
            } while cursor != nil
            #expect(seen == expected.map { $0.offset + 1 })
        }
    }

    @Test(arguments: Factory.all) func `a reader past a time does not get comments imported before it`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            try await store.post([draft(1, at: moment(1)), draft(3, at: moment(3))])
            #expect(try await store.slice(1, of: image, after: nil).numbers == [1])
            try await store.post([draft(2, at: moment(2)), draft(4, at: moment(0))])
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)).numbers == [2, 3])
            _ = try await store.remove(UUID(number: 2))
            #expect(try await store.slice(10, of: image, after: UUID(number: 2)).numbers == [3])
            #expect(try await store.slice(10, of: image, after: nil).numbers == [4, 1, 3])
        }
    }

    @Test(arguments: Factory.all) func `posting again returns the existing comment`(stores: Factory) async throws {
        try await stores.withStore { store in
            let first = try await store.post(draft(1), now: moment(0))
            let again = PostedComment(first.comment, isNew: false)
            #expect(try await store.post(draft(1), now: moment(60)) == again)
            #expect(try await store.post(draft(1, at: moment(0)), now: moment(60)) == again)
            #expect(try await store.slice(10, of: image, after: nil).items == [first.comment])
        }
    }

    @Test(
        arguments: Factory.all,
        [draft(1, on: 2), draft(1, saying: "Ugly!"), draft(1, by: "bob"), draft(1, at: moment(1))])
    func `other content under the same id is a conflict`(stores: Factory, other: CommentDraft) async throws {
        try await stores.withStore { store in
            let first = try await store.post(draft(1), now: moment(0)).comment
            await #expect(throws: CommentsStoreError.conflict(first.id)) {
                try await store.post(other, now: moment(0))
            }
            #expect(try await store.slice(10, of: image, after: nil).items == [first])
            #expect(try await store.counts(of: [image, UUID(number: 2)]) == [image: 1])
        }
    }

    // MARK: Paging

    @Test(arguments: Factory.all) func `a page knows whether more follow`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.post((1...3).map { draft($0) })
            #expect(try await store.slice(2, of: image, after: nil).hasMore)
            #expect(try await !store.slice(3, of: image, after: nil).hasMore)
            let rest = try await store.slice(2, of: image, after: UUID(number: 1))
            #expect(rest.numbers == [2, 3])
            #expect(!rest.hasMore)
            #expect(try await store.slice(2, of: image, after: UUID(number: 3)).numbers == [])
        }
    }

    @Test(arguments: Factory.all, [7, 5]) func `an id that was never a comment of the image is an invalid cursor`(
        stores: Factory, cursor: Int
    ) async throws {
        try await stores.withStore { store in
            try await store.post([draft(1), draft(5, on: 9)])
            await #expect(throws: CommentsStoreError.unknownCursor(UUID(number: cursor))) {
                try await store.slice(10, of: image, after: UUID(number: cursor))
            }
        }
    }

    /// During a walk while comments are posted and removed, comments that exist throughout are returned exactly once,
    /// in order, and no comment is repeated.
    @Test(arguments: Factory.all, [1, 2, 3, 4, 5] as [UInt64])
    func `a walk never skips or repeats`(stores: Factory, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await stores.withStore { store in
            let there = Array(1...40)
            try await store.post(there.map { draft($0) })
            var (seen, removed, posted, cursor) = ([Int](), Set<Int>(), 40, UUID?.none)
            while true {
                let page = try await store.slice(Int.random(in: 1...7, using: &random), of: image, after: cursor)
                seen += page.numbers
                guard let last = page.items.last else { break }
                cursor = last.id

                let new = (0..<Int.random(in: 0...3, using: &random)).map { posted + 1 + $0 }
                posted += new.count
                try await store.post(new.map { draft($0) })
                if Bool.random(using: &random) {
                    // Sometimes the comment at the reader's cursor.
                    let victim =
                        Bool.random(using: &random) ? seen[seen.count - 1] : Int.random(in: 1...40, using: &random)
                    removed.insert(victim)
                    _ = try await store.remove(UUID(number: victim))
                }
            }
            #expect(Set(seen).count == seen.count)
            #expect(seen == seen.sorted())
            #expect(Set(1...posted).subtracting(seen).isSubset(of: removed))
        }
    }

    // MARK: Removing

    @Test(arguments: Factory.all) func `a removed comment remains a valid cursor`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.post((1...4).map { draft($0) })
            #expect(try await store.remove(UUID(number: 2)) == 1)
            #expect(try await store.remove(UUID(number: 2)) == 0)
            #expect(try await store.remove(UUID(number: 7)) == 0)
            #expect(try await store.slice(10, of: image, after: nil).numbers == [1, 3, 4])
            #expect(try await store.slice(10, of: image, after: UUID(number: 2)).numbers == [3, 4])
            #expect(try await store.counts(of: [image]) == [image: 3])
        }
    }

    @Test(arguments: Factory.all) func `a removed id can be posted again, at the end`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.post((1...3).map { draft($0) })
            _ = try await store.remove(UUID(number: 1))
            let again = try await store.post(draft(1, saying: "On second thought"), now: moment(9))
            #expect(again.comment.createdAt == moment(9))
            #expect(try await store.slice(10, of: image, after: nil).numbers == [2, 3, 1])
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)).numbers == [])
        }
    }

    @Test(arguments: Factory.all) func `an id may move to another image and is a valid cursor in both`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            try await store.post((1...3).map { draft($0) })
            _ = try await store.remove(UUID(number: 1))
            try await store.post([draft(1, on: 9), draft(5, on: 9)])
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)).numbers == [2, 3])
            #expect(try await store.slice(10, of: UUID(number: 9), after: UUID(number: 1)).numbers == [5])
            _ = try await store.remove(UUID(number: 1))
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)).numbers == [2, 3])
            #expect(try await store.slice(10, of: UUID(number: 9), after: UUID(number: 1)).numbers == [5])
        }
    }

    // MARK: Counting

    @Test(arguments: Factory.all) func `counts of several images omit those without comments`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            try await store.post([draft(1), draft(2), draft(3, on: 9)])
            let images = [image, UUID(number: 9), UUID(number: 10), image]
            #expect(try await store.counts(of: images) == [image: 2, UUID(number: 9): 1])
            #expect(try await store.counts(of: [UUID(number: 9)]) == [UUID(number: 9): 1])
        }
    }

    // MARK: Restarting

    @Test(arguments: Factory.all) func `everything survives a restart`(stores: Factory) async throws {
        try await stores.withReopening { reopen in
            do {
                let store = try reopen()
                try await store.post((1...4).map { draft($0) })
                _ = try await store.remove(UUID(number: 2))
                _ = try await store.remove(UUID(number: 4))
            }
            let store = try reopen()
            try await store.post([draft(5)])
            #expect(try await store.slice(10, of: image, after: nil).numbers == [1, 3, 5])
            #expect(try await store.slice(10, of: image, after: UUID(number: 2)).numbers == [3, 5])
            // The highest position, that of a removed comment, is not reused.
            #expect(try await store.slice(10, of: image, after: UUID(number: 4)).numbers == [5])
        }
    }
}
