import Comments
import EdgeModel
import Foundation
import RPCTestKit
import Testing

@testable import comments_service

extension StoreFactory<any CommentsCache> {
    /// All caches.
    static let all = limited()

    /// Caches with limits.
    static func limited(comments: Int = 100, images: Int = 100, bytes: Int = 1_000_000) -> [StoreFactory] {
        var limits = CommentsCacheLimits()
        (limits.comments, limits.images, limits.bytes) = (comments, images, bytes)
        return [
            StoreFactory("SQLite on disk") { [limits] in
                SQLiteCommentsCache(try SQLiteCommentsCache.opening.open($0 + "/comments-edge.sqlite"), limits: limits)
            }
        ]
    }
}

/// The specs of every cache of an edge.
@Suite struct CommentsCacheSpecs {
    typealias Factory = StoreFactory<any CommentsCache>

    private let image = UUID(number: 0)

    @Test(arguments: Factory.all) func `an unknown image has no cached answer`(stores: Factory) async throws {
        try await stores.withStore { store in
            let slice = try await store.slice(10, of: image, after: nil)
            #expect(slice == nil)
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)) == nil)
            #expect(try await store.validators(of: image) == nil)
            #expect(try await store.counts(of: [image]) == [:])
            #expect(try await !store.renew(image, AnswerValidators(), savedAt: moment(0)))
        }
    }

    @Test(arguments: Factory.all, [[], [1], [3, 1, 2]]) func `an answer is read as it was stored, also after a restart`(
        stores: Factory, numbers: [Int]
    ) async throws {
        try await stores.withReopening { reopen in
            let answer = kept(numbers, at: 5, etag: "\"x\"")
            let isCached = try await reopen().keep(answer)
            #expect(isCached)
            let store = try reopen()
            let slice = CommentsSlice(items: answer.comments, hasMore: false)
            #expect(try await store.slice(10, of: image, after: nil) == CachedSlice(slice: slice, savedAt: moment(5)))
            #expect(try await store.validators(of: image) == answer.validators)
            #expect(try await store.counts(of: [image]) == (numbers.isEmpty ? [:] : [image: numbers.count]))
        }
    }

    @Test(arguments: Factory.all) func `the first pages are those of the cached answers`(stores: Factory) async throws {
        try await stores.withStore { store in
            for answer in [kept([1, 2, 3]), kept([], on: 5)] { _ = try await store.keep(answer) }
            let first = try await store.firstPages(2, of: [5, 9, 0].map(UUID.init(number:)))
            #expect(first.pages.map(\.imageID.number) == [5, 0])
            #expect(first.pages.map { $0.page.items.map(\.id.number) } == [[], [1, 2]])
            #expect(first.pages.map { $0.page.nextAfterID?.number } == [nil, 2])
            #expect(first.rest == [])
        }
    }

    @Test(arguments: Factory.all) func `texts and times are read as they were stored`(stores: Factory) async throws {
        try await stores.withStore { store in
            let comment = ImageComment(
                id: UUID(number: 1), imageID: image, message: String(repeating: "🏖", count: 2_000),
                createdAt: Date(timeIntervalSince1970: -62_167_219_200), username: String(repeating: "Ω", count: 64))
            let answer = CachedComments(
                imageID: image, comments: [comment], savedAt: moment(0),
                validators: AnswerValidators(etag: "W/\"ü\"", lastModified: "yesterday"))
            let isCached = try await store.keep(answer)
            #expect(isCached)
            #expect(try await store.slice(1, of: image, after: nil)?.slice.items == [comment])
            #expect(try await store.validators(of: image) == answer.validators)
        }
    }

    @Test(arguments: Factory.all) func `the last answer of each image replaces the one before`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2], etag: "a"))
            _ = try await store.keep(kept([1], on: 9, at: 1))
            _ = try await store.keep(kept([4, 2, 3], at: 7))
            #expect(try await store.numbers() == [4, 2, 3])
            #expect(try await store.numbers(of: 9) == [1])
            #expect(try await store.validators(of: image)?.isEmpty == true)
            #expect(try await store.slice(1, of: image, after: nil)?.savedAt == moment(7))
            let counts = try await store.counts(of: [image, UUID(number: 9), UUID(number: 5)])
            #expect(counts == [image: 3, UUID(number: 9): 1])
        }
    }

    // MARK: Renewing

    @Test(arguments: Factory.all) func `renewing an answer updates its time`(stores: Factory) async throws {
        try await stores.withStore { store in
            let answer = kept([1, 2], etag: "a")
            _ = try await store.keep(answer)
            #expect(try await store.renew(image, answer.validators, savedAt: moment(60)))
            #expect(try await store.slice(1, of: image, after: nil)?.savedAt == moment(60))
            #expect(try await store.numbers() == [1, 2])
        }
    }

    @Test(arguments: Factory.all) func `only the answer with the same validators is renewed`(stores: Factory)
        async throws
    {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1], etag: "b"))
            #expect(try await !store.renew(image, AnswerValidators(etag: "a"), savedAt: moment(60)))
            #expect(try await store.slice(1, of: image, after: nil)?.savedAt == moment(0))
        }
    }

    // MARK: Paging

    @Test(arguments: Factory.all) func `a page knows whether more follow`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2, 3]))
            #expect(try await store.slice(2, of: image, after: nil)?.slice.hasMore == true)
            #expect(try await store.slice(3, of: image, after: nil)?.slice.hasMore == false)
            #expect(try await store.numbers(limit: 1, after: 1) == [2])
            #expect(try await store.numbers(after: 3) == [])
        }
    }

    @Test(arguments: Factory.all, [7, 5]) func `an id that was in no answer of the image is an invalid cursor`(
        stores: Factory, cursor: Int
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1]))
            _ = try await store.keep(kept([5], on: 9))
            await #expect(throws: CommentsStoreError.unknownCursor(UUID(number: cursor))) {
                try await store.slice(10, of: image, after: UUID(number: cursor))
            }
        }
    }

    @Test(arguments: Factory.all) func `a removed comment remains a valid cursor`(stores: Factory) async throws {
        try await stores.withStore { store in
            for numbers in [[1, 2, 3], [1, 3], [1, 3, 4], [3, 4]] { _ = try await store.keep(kept(numbers)) }
            #expect(try await store.numbers() == [3, 4])
            #expect(try await store.numbers(after: 1) == [3, 4])
            #expect(try await store.numbers(after: 2) == [3, 4])
            #expect(try await store.counts(of: [image]) == [image: 2])
            _ = try await store.keep(kept([3, 4, 2]))
            #expect(try await store.numbers(after: 2) == [])
        }
    }

    // MARK: Removals that events tell of

    @Test(arguments: Factory.all) func `a removed comment leaves its list, and remains a cursor`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2, 3], etag: "a"))
            _ = try await store.keep(kept([4], on: 9, etag: "b"))
            for _ in 1...2 {
                try await store.remove([2, 7].map(UUID.init(number:)), at: moment(0))
                #expect(try await store.numbers() == [1, 3])
                #expect(try await store.numbers(after: 2) == [3])
                #expect(try await store.counts(of: [image]) == [image: 2])
            }
            // Otherwise the upstream might confirm the answer that the cache no longer has.
            #expect(try await store.validators(of: image)?.isEmpty == true)
            #expect(try await store.validators(of: UUID(number: 9))?.etag == "b")
            _ = try await store.keep(kept([1, 2, 3]))
            #expect(try await store.numbers() == [1, 2, 3])
        }
    }

    @Test(arguments: Factory.all) func `a comment in an answer that is newer than its removal stays`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2], at: 5, etag: "a"))
            try await store.remove([UUID(number: 2)], at: moment(4))
            #expect(try await store.numbers() == [1, 2])
            #expect(try await store.validators(of: image)?.etag == "a")
        }
    }

    // MARK: Limits

    @Test(arguments: Factory.limited(comments: 3), [(3, true), (4, false)])
    func `an answer with too many comments is not stored, and the one before remains`(
        stores: Factory, expected: (count: Int, isCached: Bool)
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([9]))
            let isCached = try await store.keep(kept(Array(1...expected.count)))
            #expect(isCached == expected.isCached)
            #expect(try await store.numbers() == (expected.isCached ? [1, 2, 3] : [9]))
        }
    }

    @Test(arguments: Factory.limited(bytes: kept([1, 2]).bytes), [0, 1])
    func `an answer that alone exceeds the limit is not stored`(stores: Factory, excess: Int) async throws {
        try await stores.withStore { store in
            let isCached = try await store.keep(kept([1, 2], excess: excess))
            #expect(isCached == (excess == 0))
        }
    }

    @Test(arguments: Factory.limited(images: 3))
    func `over the limit of images the least recently stored or renewed are evicted`(stores: Factory) async throws {
        try await stores.withStore { store in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image, etag: "x")) }
            #expect(try await images(in: store) == [1, 2, 3])
            _ = try await store.renew(UUID(number: 1), AnswerValidators(etag: "x"), savedAt: moment(-1_000))
            // The age of an answer does not matter.
            _ = try await store.keep(kept([4], on: 4, at: -1_000_000))
            #expect(try await images(in: store) == [1, 3, 4])
        }
    }

    @Test(arguments: Factory.limited(bytes: 3 * kept([1]).bytes), [0, 1])
    func `over the limit of bytes the oldest answers are evicted`(stores: Factory, excess: Int) async throws {
        try await stores.withStore { store in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image, excess: image == 3 ? excess : 0)) }
            #expect(try await images(in: store) == (excess == 0 ? [1, 2, 3] : [2, 3]))
        }
    }

    @Test(arguments: Factory.limited(bytes: 2 * kept([1]).bytes + 3 * CommentPlace.bytes), [0, 1])
    func `the places of removed comments count against the limit`(stores: Factory, excess: Int) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2, 3, 4], on: 1))
            // Three comments are removed; their places remain.
            _ = try await store.keep(kept([1], on: 1))
            #expect(try await store.numbers(of: 1, after: 4) == [])
            _ = try await store.keep(kept([5], on: 2, excess: excess))
            #expect(try await images(in: store) == (excess == 0 ? [1, 2] : [2]))
        }
    }

    @Test(arguments: Factory.limited(bytes: kept([7, 8, 9]).bytes + 3 * CommentPlace.bytes), [0, 1])
    func `as many places of removed comments are stored as fit beside the answer`(
        stores: Factory, excess: Int
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.keep(kept([1, 2, 3]))
            #expect(try await store.keep(kept([7, 8, 9], excess: excess)))
            #expect(try await store.numbers() == [7, 8, 9])
            var places = 0
            for number in 1...3 where (try? await store.numbers(after: number)) != nil { places += 1 }
            #expect(places == 3 - excess)
        }
    }

    /// Those of the images 1 to 4 whose answers are cached.
    private func images(in store: any CommentsCache) async throws -> [Int] {
        var images: [Int] = []
        for image in 1...4 where try await store.numbers(of: image) != nil { images.append(image) }
        return images
    }
}
