import CommentsContract
import FeedContract
import Foundation
import RPC
import Search

/// The feed and the comments, by their contracts: through the gateway, or directly.
struct FollowedServices: Sendable {
    let feed: RPCClient
    let comments: RPCClient

    /// Maintains the connections, until the task is cancelled.
    func run() async {
        // Both may be the gateway.
        guard feed !== comments else { return await feed.run() }
        async let comments: Void = comments.run()
        await feed.run()
        await comments
    }

    // MARK: The feed

    /// - Throws: the reason why the feed cannot be watched.
    func checkFeed() async throws(RPCError) { _ = try await count() }

    func count() async throws(RPCError) -> Int {
        try await feed.call(FeedContract.count, Empty()).count
    }

    func watchFeed(since seq: String, _ body: (IndexEvent) async -> Void) async throws {
        try await feed.withStream(FeedContract.watch, WatchFeed(since: seq)) { stream in
            for try await event in stream { await body(IndexEvent(event)) }
        }
    }

    /// A page of the feed.
    struct FeedPage {
        let images: [SearchableImage]
        let isLast: Bool

        /// Whether the feed is that of another server, of which only a part is known here.
        let isOfEdge: Bool
    }

    func page(after id: UUID?) async throws(RPCError) -> FeedPage {
        let limit = LoadFeed.limits.upperBound
        let loaded = try await feed.call(FeedContract.load, LoadFeed(limit: limit, afterID: id))
        return FeedPage(
            images: loaded.items.map(SearchableImage.init), isLast: loaded.items.isEmpty || loaded.nextAfterID == nil,
            isOfEdge: loaded.origin != .store)
    }

    // MARK: Comments

    /// - Throws: the reason why the comments cannot be watched.
    func checkComments() async throws(RPCError) {
        _ = try await comments.call(CommentsContract.lists, CommentedImages(imageIDs: [UUID()]))
    }

    func watchComments(since seq: String, _ body: (IndexEvent) async -> Void) async throws {
        try await comments.withStream(CommentsContract.watch, WatchComments(since: seq)) { stream in
            for try await event in stream { await body(IndexEvent(event)) }
        }
    }

    /// How many images are asked for at once.
    static let imagesAtOnce = CommentedImages.maximumImages

    /// All comments of at most `imagesAtOnce` images; nil for an image whose comments cannot be read, such as one that an edge has
    /// not seen.
    /// - Throws: when the service does not answer.
    func comments(of ids: [UUID]) async throws(RPCError) -> [UUID: [SearchableComment]?] {
        var found = Dictionary(ids.map { ($0, [SearchableComment]?.none) }) { first, _ in first }
        var rest = ids
        while !rest.isEmpty {
            let answer = try await comments.call(CommentsContract.lists, CommentedImages(imageIDs: rest))
            for list in answer.lists { found.updateValue(try await all(list), forKey: list.imageID) }
            let left = answer.rest ?? []
            guard left.count < rest.count else {
                throw RPCError(.invalidData, "\(CommentsContract.lists.name) answered for no image")
            }
            rest = left
        }
        return found
    }

    /// The comments of an image from its first page on; nil when the others cannot be read.
    private func all(_ first: CommentList) async throws(RPCError) -> [SearchableComment]? {
        var (found, cursor) = (first.items, first.nextAfterID)
        do throws(RPCError) {
            while let after = cursor {
                let page = try await comments.call(
                    CommentsContract.list, ListComments(imageID: first.imageID, afterID: after))
                found += page.items
                cursor = page.items.isEmpty ? nil : page.nextAfterID
            }
        } catch {
            // The upstream of an edge does not know the image or the cursor, or does not answer.
            guard [.notFound, .connectivity, .invalidData, .invalidParams].contains(error.kind) else { throw error }
            return nil
        }
        // A list that changes between two pages may show a comment twice.
        var seen: Set<UUID> = []
        return found.filter { seen.insert($0.id).inserted }.map(SearchableComment.init)
    }
}

extension SearchableImage {
    init(_ item: FeedItem) {
        self.init(id: item.id, title: item.description ?? "", place: item.location ?? "", tags: item.tags)
    }
}

extension SearchableComment {
    init(_ comment: Comment) {
        self.init(id: comment.id, author: comment.author.username, message: comment.message)
    }
}

extension IndexEvent {
    init(_ event: FeedEvent) {
        let change: Change =
            switch event.change {
            case .published(let items): .published(items.map(SearchableImage.init))
            case .removed(let ids): .removed(ids)
            case .reset: .feedReset
            }
        self.init(seq: event.seq, change: change)
    }

    init(_ event: CommentsEvent) {
        let change: Change =
            switch event.change {
            case .posted(let comments):
                .posted(
                    comments.map {
                        PostedComment(imageID: $0.imageID, comment: SearchableComment($0.comment))
                    })
            case .removed(let ids): .removedComments(ids)
            case .reset: .commentsReset
            }
        self.init(seq: event.seq, change: change)
    }
}
