import Comments
import EdgeKit
import Foundation
import Upstream

/// Fetches an image's comments from the upstream, maps and caches them.
struct RemoteComments: Sendable {
    let endpoint: CommentsEndpoint
    let fetch: UpstreamFetch
    let store: any KeptCommentsStore
    let now: @Sendable () -> Date

    /// The answer to a conditional request.
    enum News: Equatable, Sendable {
        case changed(Answer)
        /// The cached answer is still valid.
        case unchanged(Receipt)
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
        let isKept: Bool
    }

    /// Fetches the changes since the cached answer.
    /// - Throws: `RemoteFailure`.
    func news(of imageID: UUID) async throws -> News {
        guard let validators = try await knownValidators(of: imageID) else {
            return .changed(try await comments(of: imageID))
        }
        let answer = try await ask(imageID, validators)
        guard answer.status == UpstreamAnswer.notModified else {
            return .changed(try await taking(answer, imageID))
        }
        let isThere = try await keeping(orElse: nil) {
            try await store.renew(imageID, validators, savedAt: savedAt(of: answer))
        }
        // The answer was evicted or replaced in the meantime.
        if isThere == false { return .changed(try await comments(of: imageID)) }
        return .unchanged(receipt(answer, isKept: isThere ?? false))
    }

    /// Fetches all comments unconditionally.
    /// - Throws: `RemoteFailure`.
    func comments(of imageID: UUID) async throws -> Answer {
        try await taking(ask(imageID), imageID)
    }

    private func taking(_ answer: UpstreamAnswer, _ imageID: UUID) async throws -> Answer {
        let comments = try await map(answer, imageID)
        let kept = KeptComments(
            imageID: imageID, comments: comments, savedAt: savedAt(of: answer), validators: answer.validators)
        let isKept = try await keeping(orElse: false) { try await store.keep(kept) }
        return Answer(comments: comments, receipt: receipt(answer, isKept: isKept))
    }

    private func savedAt(of answer: UpstreamAnswer) -> Date {
        AnswerAge.savedAt(receivedAt: now(), age: answer.age)
    }

    private func receipt(_ answer: UpstreamAnswer, isKept: Bool) -> Receipt {
        Receipt(savedAt: answer.age > 0 ? savedAt(of: answer) : nil, isKept: isKept)
    }

    /// Nil when there are no validators, or the store cannot be read.
    private func knownValidators(of imageID: UUID) async throws -> AnswerValidators? {
        do {
            let validators = try await store.validators(of: imageID)
            return validators?.isEmpty == false ? validators : nil
        } catch is StoreFailure {
            return nil
        }
    }

    private func ask(
        _ imageID: UUID, _ validators: AnswerValidators = AnswerValidators()
    ) async throws -> UpstreamAnswer {
        do {
            return try await fetch(endpoint.url(of: imageID), validators.requestHeaders)
        } catch {
            try Task.checkCancellation()
            guard case .rejected(let reason)? = UpstreamMonitor.Failure(error) else {
                throw RemoteFailure.unreachable("\(error)")
            }
            throw RemoteFailure.rejected(reason)
        }
    }

    /// Maps on another thread, because a long list would block the event loop.
    private func map(_ answer: UpstreamAnswer, _ imageID: UUID) async throws -> [ImageComment] {
        try await withTaskExecutorPreference(globalConcurrentExecutor) {
            do throws(CommentsMapperError) {
                return try CommentsMapper.map(answer.body, statusCode: answer.status, imageID: imageID)
            } catch {
                switch error {
                case .notFound: throw RemoteFailure.notFound
                case .rejected(let reason): throw RemoteFailure.rejected(reason)
                }
            }
        }
    }

    /// Runs a store operation whose failure does not make the call fail. The store's monitor has already reported it.
    private func keeping<Result: Sendable>(
        orElse result: Result, _ write: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await write()
        } catch is StoreFailure {
            return result
        }
    }
}

/// The reason why the upstream's comments are not available.
enum RemoteFailure: Error, Equatable {
    /// The upstream does not know the image.
    case notFound
    case unreachable(String)
    case rejected(String)
    /// The upstream took longer than the caller can wait.
    case late(FetchBudget.Spent)
}
