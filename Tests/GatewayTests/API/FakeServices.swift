import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import JSON
import RPC

@testable import gateway

/// Services with answers that a test sets; without one the answer is `not_found`.
struct FakeServices: Sendable {
    typealias Answer<Params, Result> = @Sendable (Params, CallContext) async throws -> Result

    var load: Answer<LoadFeed, LoadedFeed> = { _, _ in
        LoadedFeed(items: [], nextAfterID: nil, prevBeforeID: nil, origin: .store)
    }
    var get: Answer<FeedItemSelection, FeedItem> = { _, _ in throw RPCError(.notFound, "no such item") }
    var watch: @Sendable (WatchFeed, ItemSink<FeedEvent>) async throws -> Void = { _, _ in }
    var watchComments: @Sendable (WatchComments, ItemSink<CommentsEvent>) async throws -> Void = { _, _ in }
    var list: Answer<ListComments, ListedComments> = { _, _ in
        ListedComments(items: [], nextAfterID: nil, origin: .store)
    }
    var counts: Answer<CommentedImages, CommentCounts> = { _, _ in CommentCounts(counts: [:]) }
    var post: Answer<PostComment, SentComment> = { _, _ in throw RPCError(.readOnly, "an upstream's") }
    var remove: Answer<CommentSelection, Count> = { _, _ in Count(count: 0) }
    var image: Answer<LoadImage, LoadedImage> = { _, _ in throw RPCError(.notFound, "no bytes are stored") }
    var facts: Answer<FactSelection, ImageFacts> = { _, _ in ImageFacts(facts: [:]) }

    /// Where an item comes from.
    var loaded: @Sendable (FeedItem) -> LoadedItem = { LoadedItem($0) }

    /// Plugins beside the services.
    var plugins: [FakePlugin] = []

    /// The checks of services, by name.
    var checks: [String: [Health.Check]] = [:]

    /// The names of plugins that do not run.
    var down: Set<String> = []

    var tables: [String: MethodTable] {
        var feed = MethodTable(FeedContract.contract)
        feed.handle(FeedContract.load, load)
        feed.handle(FeedContract.get) { [get, loaded] params, context in
            loaded(try await get(params, context))
        }
        feed.handle(FeedContract.items) { [get] params, context in
            var items: [FeedItem] = []
            for id in params.ids {
                do { items.append(try await get(FeedItemSelection(id: id), context)) } catch {
                    guard (error as? RPCError)?.kind == .notFound else { throw error }
                }
            }
            return SelectedItems(items: items)
        }
        feed.handle(FeedContract.watch) { [watch] params, _, items in try await watch(params, items) }
        var comments = MethodTable(CommentsContract.contract)
        comments.handle(CommentsContract.list, list)
        comments.handle(CommentsContract.counts, counts)
        comments.handle(CommentsContract.post, post)
        comments.handle(CommentsContract.remove, remove)
        comments.handle(CommentsContract.watch) { [watchComments] params, _, items in
            try await watchComments(params, items)
        }
        var images = MethodTable(ImageDataContract.contract)
        images.handle(ImageDataContract.load, image)
        images.handle(ImageDataContract.facts, facts)
        let tables = ["feed": feed, "comments": comments, "image-data": images]
        return tables.merging(plugins.map { ($0.manifest.name, $0.table) }) { $1 }
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

/// A plugin that a test runs. It is not required.
struct FakePlugin: Sendable {
    let manifest: PluginManifest
    var table: MethodTable

    /// A plugin that adds `NAME` to the items of the feed.
    /// - Parameter answer: the text of the answer for the ids.
    static func enriching(
        _ name: String, timeout: Int? = nil, _ answer: @escaping @Sendable ([String]) async throws -> String
    ) -> FakePlugin {
        let method = Method("\(name).values", "", params: params, answer: Codec<RawJSON>.any)
        var table = MethodTable(Contract(name: name, version: 1, methods: []))
        table.handle(method) { ids, _ in RawJSON(unchecked: Array(try await answer(ids).utf8)) }
        let enrichment = Enrichment(item: .feed, method: method.name, name: name)
        return FakePlugin(
            manifest: PluginManifest(
                name: name, socket: name + ".sock", contracts: [name: 1], required: false, timeout: timeout,
                enriches: [enrichment]),
            table: table)
    }

    private static let params = Codec<[String]>.object { object in
        let ids = object.required("image_ids", .array(of: .string), \.self)
        return { members throws(JSONError) in try members[ids] }
    }
}

/// The current time of the tests.
let noon = Date(timeIntervalSince1970: 1_772_366_400)

/// Distinguishes the contract's type from `Testing.Comment`.
typealias SentComment = Comment
