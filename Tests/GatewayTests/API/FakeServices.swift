import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import RPC

/// Services with answers that a test sets; without one the answer is `not_found`.
struct FakeServices: Sendable {
    typealias Answer<Params, Result> = @Sendable (Params, CallContext) async throws -> Result

    var load: Answer<LoadFeed, LoadedFeed> = { _, _ in
        LoadedFeed(items: [], nextAfterID: nil, prevBeforeID: nil, origin: .store)
    }
    var get: Answer<FeedItemSelection, FeedItem> = { _, _ in throw RPCError(.notFound, "no such item") }
    var watch: @Sendable (WatchFeed, ItemSink<FeedEvent>) async throws -> Void = { _, _ in }
    var list: Answer<ListComments, ListedComments> = { _, _ in
        ListedComments(items: [], nextAfterID: nil, origin: .store)
    }
    var counts: Answer<CountComments, CommentCounts> = { _, _ in CommentCounts(counts: [:]) }
    var post: Answer<PostComment, SentComment> = { _, _ in throw RPCError(.readOnly, "an upstream's") }
    var remove: Answer<CommentSelection, Count> = { _, _ in Count(count: 0) }
    var image: Answer<LoadImage, LoadedImage> = { _, _ in throw RPCError(.notFound, "no bytes are stored") }
    var facts: Answer<FactSelection, ImageFacts> = { _, _ in ImageFacts(facts: [:]) }

    var tables: [String: MethodTable] {
        var feed = MethodTable(FeedContract.contract)
        feed.handle(FeedContract.load, load)
        feed.handle(FeedContract.get, get)
        feed.handle(FeedContract.watch) { [watch] params, _, items in try await watch(params, items) }
        var comments = MethodTable(CommentsContract.contract)
        comments.handle(CommentsContract.list, list)
        comments.handle(CommentsContract.counts, counts)
        comments.handle(CommentsContract.post, post)
        comments.handle(CommentsContract.remove, remove)
        var images = MethodTable(ImageDataContract.contract)
        images.handle(ImageDataContract.load, image)
        images.handle(ImageDataContract.facts, facts)
        return ["feed": feed, "comments": comments, "image-data": images]
    }

    /// A feed with one page.
    static func feed(_ page: LoadedFeed) -> FakeServices {
        var services = FakeServices()
        services.load = { _, _ in page }
        return services
    }

    /// Services with this image at this URL for every item.
    static func image(_ image: LoadedImage, url: String = "https://example.org/a.png") -> FakeServices {
        var services = FakeServices()
        services.get = { selection, _ in FeedItem(id: selection.id, image: url) }
        services.image = { _, _ in image }
        return services
    }
}

/// The current time of the tests.
let noon = Date(timeIntervalSince1970: 1_772_366_400)

/// Distinguishes the contract's type from `Testing.Comment`.
typealias SentComment = Comment
