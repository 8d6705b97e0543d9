import Comments
import Foundation
import Upstream

/// Fetches an image's comments, maps and keeps them.
struct RemoteComments: Sendable {
    let endpoint: CommentsEndpoint
    let fetch: UpstreamFetch
    let store: any KeptCommentsStore
    let now: @Sendable () -> Date

    /// What an upstream says when it is asked what has changed.
    enum News: Equatable, Sendable {
        case changed(Answer)
        /// The kept answer still holds.
        case unchanged(Receipt)
    }

    /// The whole list.
    struct Answer: Equatable, Sendable {
        let comments: [ImageComment]
        let receipt: Receipt
    }

    /// What is to be told about an answer.
    struct Receipt: Equatable, Sendable {
        /// When it was new, if that is not now.
        let savedAt: Date?

        /// Whether it is kept for later.
        let isKept: Bool
    }

    /// What has changed since the answer that is kept.
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
        // It went, or was replaced, in the meantime.
        if isThere == false { return .changed(try await comments(of: imageID)) }
        return .unchanged(receipt(answer, isKept: isThere ?? false))
    }

    /// All comments, whatever is kept.
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

    /// Nil when there are none to ask with, also when the store cannot tell.
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

    /// On a thread of its own: a long list would hold up everybody on the event loop.
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

    /// That something cannot be kept is no reason not to deliver it. The store's monitor has seen it.
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

/// Why an upstream's comments cannot be had.
enum RemoteFailure: Error, Equatable {
    /// It knows no such image.
    case notFound
    case unreachable(String)
    case rejected(String)
    /// It took longer than its caller can wait.
    case late(FetchBudget.Spent)
}
