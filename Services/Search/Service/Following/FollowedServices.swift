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
        _ = try await comments.call(CommentsContract.counts, CountComments(imageIDs: [UUID()]))
    }

    func watchComments(since seq: String, _ body: (IndexEvent) async -> Void) async throws {
        try await comments.withStream(CommentsContract.watch, WatchComments(since: seq)) { stream in
            for try await event in stream { await body(IndexEvent(event)) }
        }
    }

    /// How many images are asked for at once.
    static let imagesAtOnce = CountComments.maximumImages

    /// All comments of at most `imagesAtOnce` images; nil for an image whose comments cannot be read.
    /// - Throws: when the service does not answer.
    func comments(of ids: [UUID]) async throws -> [UUID: [SearchableComment]?] {
        guard !ids.isEmpty else { return [:] }
        let counts = try await comments.call(CommentsContract.counts, CountComments(imageIDs: ids)).counts
        return try await withThrowingTaskGroup(of: (UUID, ReadComments).self) { group in
            // An edge counts only the comments that it has cached. One list tells whether this is an edge.
            let read = counts.isEmpty ? Array(ids.prefix(1)) : Array(counts.keys)
            for id in read { group.addTask { (id, try await comments(of: id)) } }
            var (found, isOfEdge) = ([UUID: [SearchableComment]?](), false)
            for try await (id, comments) in group {
                found.updateValue(comments.comments, forKey: id)
                isOfEdge = isOfEdge || comments.isOfEdge
            }
            for id in ids where !found.keys.contains(id) { found.updateValue(isOfEdge ? nil : [], forKey: id) }
            return found
        }
    }

    private struct ReadComments {
        /// Nil when they cannot be read, for a reason that concerns only this image.
        let comments: [SearchableComment]?

        /// Whether the comments are those of another server, of which only a part is known here.
        let isOfEdge: Bool
    }

    /// All comments of an image.
    private func comments(of id: UUID) async throws(RPCError) -> ReadComments {
        var (found, isOfEdge) = ([SearchableComment](), false)
        var cursor: UUID?
        do throws(RPCError) {
            repeat {
                let page = try await comments.call(
                    CommentsContract.list, ListComments(imageID: id, afterID: cursor))
                found += page.items.map(SearchableComment.init)
                isOfEdge = page.origin != .store
                cursor = page.items.isEmpty ? nil : page.nextAfterID
            } while cursor != nil
        } catch {
            switch error.kind {
            // Only an edge answers so.
            case .notFound, .connectivity, .invalidData: return ReadComments(comments: nil, isOfEdge: true)
            case .invalidParams: return ReadComments(comments: nil, isOfEdge: isOfEdge)
            default: throw error
            }
        }
        // A list that changes between two pages may show a comment twice.
        var seen: Set<UUID> = []
        return ReadComments(comments: found.filter { seen.insert($0.id).inserted }, isOfEdge: isOfEdge)
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
