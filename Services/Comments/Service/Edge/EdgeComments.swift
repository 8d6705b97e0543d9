import Comments
import CommentsContract
import EdgeKit
import Foundation
import RPC
import ServiceKit
import Upstream

/// The comments of an edge: from the upstream while it answers, otherwise from the cache.
struct EdgeComments: Sendable {
    let remote: RemoteComments
    let store: any KeptCommentsStore
    let monitor: UpstreamMonitor
    private let flights = SingleFlight<UUID, RemoteComments.News>()
    private let continued = ContinuedLists()

    init(remote: RemoteComments, store: any KeptCommentsStore, monitor: UpstreamMonitor) {
        self.remote = remote
        self.store = store
        self.monitor = monitor
    }

    /// Runs the upstream requests of `list`, until the task is cancelled.
    func run() async { await flights.run() }

    /// - Parameter remaining: the caller's remaining time.
    func list(_ page: ListComments, within remaining: Duration) async throws -> ListedComments {
        if let next = try await continuedPage(page) { return next }
        do {
            return try await remotePage(page, budget(of: page.imageID, within: remaining))
        } catch let failure as RemoteFailure {
            // A cancelled call does not fall back to the cache.
            try Task.checkCancellation()
            continued.end(page.imageID)
            if failure == .notFound {
                throw RPCError(.notFound, "the upstream knows no image \(page.imageID.uuidString)")
            }
            return try await keptPage(page)
        }
    }

    /// The time limit of the upstream request.
    func budget(of imageID: UUID, within remaining: Duration) async throws -> Duration {
        FetchBudget.time(of: remaining, isAbsent: monitor.isAbsent, hasFallback: try await hasKept(imageID))
    }

    private func hasKept(_ imageID: UUID) async throws -> Bool {
        do {
            return try await store.validators(of: imageID) != nil
        } catch is StoreFailure {
            // The store's monitor has already reported it.
            return false
        }
    }

    /// Returns counts from the cache only: a page of the feed must not cause upstream requests for the comments of all
    /// its images.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        do {
            return try await store.counts(of: imageIDs)
        } catch let failure as StoreFailure {
            throw failure.answer
        }
    }

    // MARK: From the upstream

    private func remotePage(_ page: ListComments, _ budget: Duration) async throws -> ListedComments {
        let news = try await asking(page.imageID, budget) {
            try await flights.value(of: page.imageID) { try await remote.news(of: page.imageID) }
        }
        switch news {
        case .changed(let answer): return try await remotePage(page, of: answer)
        case .unchanged(let receipt):
            if let kept = try await keptSlice(page) {
                return beginning(page.imageID, ListedComments(kept.slice, .remote, receipt), receipt)
            }
            // The upstream has confirmed an answer that is no longer readable.
            let answer = try await asking(page.imageID, budget) { try await remote.comments(of: page.imageID) }
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
                    try await keptSlice(page)?.slice
                }
            guard let next = slice.map({ ListedComments($0, .remote, list.receipt) }), next.nextAfterID != nil else {
                return nil
            }
            return next
        } catch CommentsStoreError.unknownCursor {
            return nil
        }
    }

    private func asking<Answer: Sendable>(
        _ imageID: UUID, _ budget: Duration, _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await monitor.watching(imageID) {
            do {
                return try await FetchBudget.run(within: budget, body)
            } catch let spent as FetchBudget.Spent {
                throw RemoteFailure.late(spent)
            }
        }
    }

    private func remotePage(_ page: ListComments, of answer: RemoteComments.Answer) async throws -> ListedComments {
        do throws(CommentsStoreError) {
            let slice = try CommentsSlice(answer.comments, page.size, after: page.afterID)
            return beginning(
                page.imageID, ListedComments(slice, .remote, answer.receipt), answer.receipt,
                of: answer.receipt.isKept ? nil : answer.comments)
        } catch {
            // The cursor may be a removed comment, which only the store knows.
            guard answer.receipt.isKept, let kept = try await keptSlice(page) else { throw error }
            return beginning(page.imageID, ListedComments(kept.slice, .remote, answer.receipt), answer.receipt)
        }
    }

    // MARK: From the store

    private func keptPage(_ page: ListComments) async throws -> ListedComments {
        do {
            if let kept = try await keptSlice(page) {
                return ListedComments(kept.slice, .cache, .init(savedAt: kept.savedAt, isKept: true))
            }
        } catch CommentsStoreError.unknownCursor {
            // The cache does not know the cursor, but the upstream may.
        }
        throw RPCError(
            .connectivity,
            "the upstream does not answer, and the comments of \(page.imageID.uuidString) are not cached here")
    }

    /// Nil also when the store cannot be read, which its monitor has already reported.
    private func keptSlice(_ page: ListComments) async throws -> KeptSlice? {
        do {
            return try await store.slice(page.size, of: page.imageID, after: page.afterID)
        } catch is StoreFailure {
            return nil
        }
    }
}

extension ListComments {
    fileprivate var size: Int { limit ?? Self.defaultLimit }
}

extension ListedComments {
    fileprivate init(_ slice: CommentsSlice, _ origin: Origin, _ receipt: RemoteComments.Receipt) {
        self.init(
            CommentsPage(slice), origin: origin, savedAt: receipt.savedAt,
            notices: receipt.isKept ? nil : [.notKept])
    }
}
