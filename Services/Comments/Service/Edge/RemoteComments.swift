import Comments
import EdgeKit
import EdgeModel
import Foundation
import RPC
import ServiceKit

/// Fetches an image's comments from the upstream, maps and caches them.
struct RemoteComments: Sendable {
    let endpoint: CommentsEndpoint
    let fetch: UpstreamFetch
    let cache: any CommentsCache
    let broadcast: ChangeBroadcast<CommentsChange>
    let now: @Sendable () -> Date

    /// The answer to a conditional request.
    enum News: Equatable, Sendable {
        case changed(Answer)
        /// The cached answer is still valid.
        case unchanged(Receipt)

        var receipt: Receipt {
            switch self {
            case .changed(let answer): answer.receipt
            case .unchanged(let receipt): receipt
            }
        }
    }

    /// The whole list.
    struct Answer: Equatable, Sendable {
        let comments: [ImageComment]
        let receipt: Receipt
    }

    /// Properties of an answer that a page reports.
    struct Receipt: Equatable, Sendable {
        /// When the answer was generated, if that is not now.
        let savedAt: Date?

        /// Whether the answer is cached.
        let isCached: Bool

        /// Whether the upstream's events tell when the answer changes.
        var isMonitored = false
    }

    /// Fetches the changes since the cached answer.
    /// - Parameter isFresh: whether the answer must come from no cache between this edge and the upstream's store.
    /// - Throws: `RPCError` when the upstream does not know the image; otherwise the reason why there are no comments.
    func news(of imageID: UUID, isFresh: Bool = false) async throws -> News {
        let fresh = isFresh ? [UpstreamAnswer.fromNoCache] : []
        guard let validators = try await orNil({ try await cache.validators(of: imageID) }), !validators.isEmpty else {
            return .changed(try await comments(of: imageID, fresh))
        }
        let answer = try await fetch(endpoint.url(of: imageID).absoluteString, validators.conditions + fresh)
        guard answer.status == UpstreamAnswer.notModified else {
            return .changed(try await taking(answer, imageID))
        }
        let isThere = try await orNil {
            try await cache.renew(imageID, validators, savedAt: savedAt(of: answer))
        }
        // The answer was evicted or replaced in the meantime.
        if isThere == false { return .changed(try await comments(of: imageID, fresh)) }
        return .unchanged(receipt(answer, isCached: isThere ?? false))
    }

    /// Fetches all comments unconditionally.
    /// - Throws: as `news`.
    /// - Parameter headers: in addition to those of the client.
    func comments(of imageID: UUID, _ headers: [(name: String, value: String)] = []) async throws -> Answer {
        try await taking(fetch(endpoint.url(of: imageID).absoluteString, headers), imageID)
    }

    private func taking(_ answer: UpstreamAnswer, _ imageID: UUID) async throws -> Answer {
        let comments = try await map(answer, imageID)
        let cached = CachedComments(
            imageID: imageID, comments: comments, savedAt: savedAt(of: answer), validators: answer.validators)
        defer { broadcast.wake() }
        let isCached = try await orNil { try await cache.keep(cached) } ?? false
        return Answer(comments: comments, receipt: receipt(answer, isCached: isCached))
    }

    private func savedAt(of answer: UpstreamAnswer) -> Date { answer.savedAt(receivedAt: now()) }

    private func receipt(_ answer: UpstreamAnswer, isCached: Bool) -> Receipt {
        Receipt(
            savedAt: answer.age > 0 ? savedAt(of: answer) : nil, isCached: isCached,
            isMonitored: isCached && answer.isMonitored)
    }

    /// Maps on another thread, because a long list would block the event loop.
    private func map(_ answer: UpstreamAnswer, _ imageID: UUID) async throws -> [ImageComment] {
        do throws(CommentsMapperError) {
            return try await withTaskExecutorPreference(globalConcurrentExecutor) {
                () async throws(CommentsMapperError) in
                try CommentsMapper.map(answer.body, statusCode: answer.status, imageID: imageID)
            }
        } catch {
            switch error {
            case .notFound(let isCertain): throw try await absence(of: imageID, isCertain: isCertain)
            case .rejected(let reason): throw UpstreamMonitor.Failure.rejected(reason)
            }
        }
    }

    /// Deletes what is cached of an image that the upstream does not have. Without a certain answer a cached one is still good.
    private func absence(of imageID: UUID, isCertain: Bool) async throws -> any Error {
        let isCached = try await orNil { try await cache.validators(of: imageID) } != nil
        if isCached, !isCertain {
            return UpstreamMonitor.Failure.rejected("its status is 404, and its body is no problem document")
        }
        if isCached {
            defer { broadcast.wake() }
            _ = try await orNil { try await cache.forget(imageID) }
        }
        return RPCError(.notFound, "the upstream knows no image \(imageID.uuidString)")
    }
}
