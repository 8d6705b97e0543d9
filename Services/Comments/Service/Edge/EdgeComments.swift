import Comments
import CommentsContract
import Foundation
import RPC
import ServiceKit
import Upstream

/// The comments of an upstream: from it when it answers, else as it last answered.
struct EdgeComments: Sendable {
    let remote: RemoteComments
    let store: any KeptCommentsStore
    let monitor: UpstreamMonitor
    private let flights = SingleFlight<UUID, RemoteComments.News>()

    init(remote: RemoteComments, store: any KeptCommentsStore, monitor: UpstreamMonitor) {
        self.remote = remote
        self.store = store
        self.monitor = monitor
    }

    /// Fetches what is asked for, until the task is cancelled.
    func run() async { await flights.run() }

    /// - Parameter remaining: what the caller has left.
    func list(_ page: ListComments, within remaining: Duration) async throws -> ListedComments {
        do {
            return try await remotePage(page, FetchBudget.time(of: remaining, isAbsent: monitor.isAbsent))
        } catch let failure as RemoteFailure {
            // Whoever has gone is served nothing.
            try Task.checkCancellation()
            if failure == .notFound {
                throw RPCError(.notFound, "the upstream knows no image \(page.imageID.uuidString)")
            }
            return try await keptPage(page)
        }
    }

    /// How many comments the kept answers have: a page of the feed is no reason to ask for the comments of all its images.
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
            if let kept = try await keptSlice(page) { return ListedComments(kept.slice, .remote, receipt) }
            // What the upstream has confirmed cannot be read any more.
            let answer = try await asking(page.imageID, budget) { try await remote.comments(of: page.imageID) }
            return try await remotePage(page, of: answer)
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
            return ListedComments(slice, .remote, answer.receipt)
        } catch {
            // The reader may stand where a comment was once: only the store knows that.
            guard answer.receipt.isKept, let kept = try await keptSlice(page) else { throw error }
            return ListedComments(kept.slice, .remote, answer.receipt)
        }
    }

    // MARK: From the store

    private func keptPage(_ page: ListComments) async throws -> ListedComments {
        do {
            if let kept = try await keptSlice(page) {
                return ListedComments(kept.slice, .cache, .init(savedAt: kept.savedAt, isKept: true))
            }
        } catch CommentsStoreError.unknownCursor {
            // The upstream may know it.
        }
        throw RPCError(
            .connectivity,
            "the upstream does not answer, and of the comments of \(page.imageID.uuidString) none are kept here")
    }

    /// Nil also when the store cannot be read: its monitor has said so.
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
