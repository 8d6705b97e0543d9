import CommentsContract
import FeedContract
import Foundation
import JSON
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

    // MARK: Watching

    enum Source: String, Sendable {
        case feed, comments
    }

    /// - Throws: the reason why the source cannot be watched.
    func check(_ source: Source) async throws(RPCError) {
        switch source {
        case .feed: _ = try await count()
        case .comments: _ = try await comments.call(CommentsContract.lists, CommentedImages(imageIDs: [UUID.random()]))
        }
    }

    func watch(_ source: Source, since seq: String, _ body: (IndexEvent) async -> Void) async throws {
        switch source {
        case .feed:
            try await feed.withStream(FeedContract.watch, WatchFeed(since: seq)) { stream in
                for try await event in stream { await body(IndexEvent(event)) }
            }
        case .comments:
            try await comments.withStream(CommentsContract.watch, WatchComments(since: seq)) { stream in
                for try await event in stream { await body(IndexEvent(event)) }
            }
        }
    }

    // MARK: The feed

    func count() async throws(RPCError) -> Int {
        try await feed.call(FeedContract.count, Empty()).count
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

    /// How many images are asked for at once.
    static let imagesAtOnce = CommentedImages.maximumImages

    /// Comments with this number of bytes are enough: those of further images are not read.
    static let enoughBytes = 1_048_576

    /// All comments of the first of these images, as many as are enough; those of one image are not divided. Nil for an image whose
    /// comments cannot be read, such as one that an edge has not seen.
    /// - Throws: when the service does not answer.
    func comments(of ids: [UUID]) async throws(RPCError) -> [UUID: [SearchableComment]?] {
        var (found, bytes) = ([UUID: [SearchableComment]?](), 0)
        var rest = ids
        while !rest.isEmpty {
            let asked = Array(rest.prefix(Self.imagesAtOnce))
            let answer = try await comments.call(CommentsContract.lists, CommentedImages(imageIDs: asked))
            let left = answer.rest ?? []
            guard left.count < asked.count else {
                throw RPCError(.invalidData, "\(CommentsContract.lists.name) answered for no image")
            }
            var lists = Dictionary(answer.lists.map { ($0.imageID, $0) }) { first, _ in first }
            for id in asked where !left.contains(id) {
                guard bytes < Self.enoughBytes else { return found }
                var comments: [SearchableComment]?
                if let list = lists.removeValue(forKey: id) { comments = try await all(list) }
                found.updateValue(comments, forKey: id)
                bytes += comments?.reduce(0) { $0 + $1.textBytes } ?? 0
            }
            rest = left + rest.dropFirst(asked.count)
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
        let texts = [item.description, item.details.alt].compactMap(\.self)
        self.init(
            id: item.id, title: texts.joined(separator: "\n"), place: item.location ?? "", tags: item.tags,
            credit: item.details.credit ?? "")
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
            case .removed(let ids), .forgotten(let ids): .removed(ids)
            case .found(let items): .found(items.map(SearchableImage.init))
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
