import Comments
import CommentsContract
import EdgeKit
import EdgeModel
import Foundation
import RPC
import ServiceKit
import Timing

/// The comments of an edge: from the upstream while it answers, otherwise from the cache.
struct EdgeComments: Sendable {
    let remote: RemoteComments
    let cache: any CommentsCache
    let monitor: UpstreamMonitor
    let flights: SingleFlight<UUID, RemoteComments.News>
    private let continued = ContinuedLists()

    /// The images whose cached comments the upstream's events would have named if they had changed.
    let current: CurrentAnswers<UUID>

    /// What the upstream has removed, and the cache may still have.
    private let removals = Removals()

    /// Called with errors that are faults of the program.
    private let onFault: @Sendable (any Error) -> Void

    init(
        remote: RemoteComments, cache: any CommentsCache, monitor: UpstreamMonitor,
        clock: any MonotonicClock = .system, onFault: @escaping @Sendable (any Error) -> Void
    ) {
        self.remote = remote
        self.cache = cache
        self.monitor = monitor
        self.onFault = onFault
        flights = SingleFlight(clock: clock)
        current = CurrentAnswers(clock: clock)
    }

    /// Runs the upstream requests of `list`, until the task is cancelled.
    func run() async {
        async let removing: Void = removals.run(remove)
        await flights.run()
        await removing
    }

    private func remove(_ removal: Removals.Removal) async {
        defer { remote.broadcast.wake() }
        do {
            // If the store fails, its monitor notes that, and a comment leaves when its list is read again.
            _ = try await orNil { try await cache.remove(removal.ids, at: removal.time) }
        } catch is CancellationError {
            return
        } catch {
            onFault(error)
        }
    }

    /// - Parameter remaining: the caller's remaining time.
    func list(_ page: ListComments, within remaining: Duration) async throws -> ListedComments {
        if let page = try await currentPage(page) { return page }
        if let next = try await continuedPage(page) { return next }
        let budget = try await budget(of: page.imageID, within: remaining)
        do {
            if let listed = try await remotePage(page, budget) { return listed }
        } catch let error as RPCError {
            // The upstream does not know the image.
            continued.end(page.imageID)
            throw error
        }
        continued.end(page.imageID)
        return try await cachedPage(page)
    }

    /// The time limit of the upstream request.
    func budget(of imageID: UUID, within remaining: Duration) async throws -> Duration {
        let hasCached = try await orNil { try await cache.validators(of: imageID) } != nil
        return monitor.time(of: remaining, hasFallback: hasCached)
    }

    /// Returns counts from the cache only: a page of the feed must not cause upstream requests for the comments of all
    /// its images.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] { try await cache.counts(of: imageIDs) }

    /// Returns the first pages of the cached lists, for the same reason.
    func lists(of imageIDs: [UUID]) async throws -> FirstPages {
        try await cache.firstPages(ListComments.defaultLimit, of: imageIDs)
    }

    // MARK: From the upstream

    /// Nil when the upstream gave no usable answer.
    private func remotePage(_ page: ListComments, _ budget: Duration) async throws -> ListedComments? {
        let subject = "the comments of \(page.imageID.uuidString)"
        let news = try await monitor.asking(subject, within: budget) {
            try await flights.value(of: page.imageID) {
                let ask = current.ask(page.imageID)
                let news = try await remote.news(of: page.imageID, isFresh: ask != nil)
                if let ask, news.receipt.isMonitored { current.answered(page.imageID, ask) }
                return news
            }
        }
        switch news {
        case nil: return nil
        case .changed(let answer): return try await remotePage(page, of: answer)
        case .unchanged(let receipt):
            if let cached = try await cachedSlice(page) {
                return beginning(page.imageID, ListedComments(cached.slice, .remote, receipt), receipt)
            }
            // The upstream has confirmed an answer that is no longer readable.
            let answer = try await monitor.asking(subject, within: budget) {
                try await remote.comments(of: page.imageID)
            }
            guard let answer else { return nil }
            return try await remotePage(page, of: answer)
        }
    }

    /// Allows later pages of the list to come from the answer of this page.
    private func beginning(
        _ imageID: UUID, _ page: ListedComments, _ receipt: RemoteComments.Receipt, of comments: [ImageComment]? = nil
    ) -> ListedComments {
        if page.nextAfterID == nil {
            continued.end(imageID)
        } else {
            continued.begin(
                imageID, ContinuedLists.List(comments: comments, receipt: receipt, answeredAt: remote.now()))
        }
        return page
    }

    /// Returns a later page of a list without an upstream request. Nil when the answer is too old, and for the last
    /// page, because only the upstream knows whether more comments have been added.
    private func continuedPage(_ page: ListComments) async throws -> ListedComments? {
        guard page.afterID != nil, let list = continued.list(of: page.imageID, now: remote.now()) else { return nil }
        do {
            let slice =
                if let comments = list.comments {
                    try CommentsSlice(comments, page.size, after: page.afterID)
                } else {
                    try await cachedSlice(page)?.slice
                }
            guard let next = slice.map({ ListedComments($0, .remote, list.receipt) }), next.nextAfterID != nil else {
                return nil
            }
            return next
        } catch CommentsStoreError.unknownCursor {
            return nil
        }
    }

    private func remotePage(_ page: ListComments, of answer: RemoteComments.Answer) async throws -> ListedComments {
        do throws(CommentsStoreError) {
            let slice = try CommentsSlice(answer.comments, page.size, after: page.afterID)
            return beginning(
                page.imageID, ListedComments(slice, .remote, answer.receipt), answer.receipt,
                of: answer.receipt.isCached ? nil : answer.comments)
        } catch {
            // The cursor may be a removed comment, which only the cache knows.
            guard answer.receipt.isCached, let cached = try await cachedSlice(page) else { throw error }
            return beginning(page.imageID, ListedComments(cached.slice, .remote, answer.receipt), answer.receipt)
        }
    }

    // MARK: According to the upstream's events

    /// Notes what the upstream's events tell.
    func note(_ state: UpstreamEvents.State) {
        current.note(state) { event in
            removals.note(event, at: remote.now())
            // An event of removed comments does not name their images.
            guard event.name == "posted", let images = CommentsMapper.images(ofPosted: event.data) else {
                return current.removeAll()
            }
            for image in images { current.remove(image) }
        }
    }

    /// The page as it is cached; nil when the upstream must be asked.
    private func currentPage(_ page: ListComments) async throws -> ListedComments? {
        guard current.contains(page.imageID) else { return nil }
        do {
            guard let cached = try await cachedSlice(page) else { return nil }
            let listed = ListedComments(cached.slice, .remote, .init(savedAt: nil, isCached: true))
            // Without comments it matters whether the feed has the image, and these events do not tell that.
            return listed.items.isEmpty && page.afterID == nil ? nil : listed
        } catch CommentsStoreError.unknownCursor {
            return nil
        }
    }

    // MARK: From the cache

    private func cachedPage(_ page: ListComments) async throws -> ListedComments {
        do {
            if let cached = try await cachedSlice(page) {
                return ListedComments(cached.slice, .cache, .init(savedAt: cached.savedAt, isCached: true))
            }
        } catch CommentsStoreError.unknownCursor {
            // The cache does not know the cursor, but the upstream may.
        }
        throw RPCError(
            .connectivity,
            "the upstream does not answer, and the comments of \(page.imageID.uuidString) are not cached here")
    }

    /// Nil also when the cache cannot be read.
    private func cachedSlice(_ page: ListComments) async throws -> CachedSlice? {
        try await orNil { try await cache.slice(page.size, of: page.imageID, after: page.afterID) }
    }
}

extension ListComments {
    fileprivate var size: Int { limit ?? Self.defaultLimit }
}

extension ListedComments {
    fileprivate init(_ slice: CommentsSlice, _ origin: AnswerOrigin, _ receipt: RemoteComments.Receipt) {
        self.init(
            CommentsPage(slice), origin: origin, savedAt: receipt.savedAt,
            notices: receipt.isCached ? nil : [.notKept])
    }
}
