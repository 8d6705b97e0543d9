import Foundation
import NIOCore
import RPC

/// Lists of comments that were asked for a moment ago, and their compressed forms. However many clients ask at the same
/// time, a list is read, written, hashed and compressed once.
struct RecentComments: Sendable {
    private let documents: RecentAnswers<UUID, CommentsDocument>

    /// By the hash of the text, so never out of date.
    private let compressed: RecentAnswers<String, CompressedText>

    init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        documents = RecentAnswers(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime, now: now)
        compressed = RecentAnswers(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime, now: now)
    }

    /// Makes what is asked for, until the task is cancelled.
    func run() async {
        async let compressing: Void = compressed.run()
        await documents.run()
        await compressing
    }

    /// - Parameter load: makes the document, when it was not asked for a moment ago and nobody else is making it.
    func document(
        of imageID: UUID, _ load: @escaping @Sendable () async throws(RPCError) -> CommentsDocument
    ) async throws(RPCError) -> CommentsDocument {
        try await documents.value(of: imageID, load)
    }

    /// - Returns: nil when it cannot be compressed.
    /// - Throws: `overloaded` when the budget has no room for it.
    func gzip(_ document: JSONDocument, within budget: AnswerBudget) async throws(RPCError) -> ByteBuffer? {
        try await compressed.value(of: document.hash) { () throws(RPCError) in
            let bytes = document.text.readableBytes
            guard bytes > AnswerBudget.smallAnswer else { return CompressedText(bytes: Gzip.compress(document.text)) }
            try budget.reserve(bytes)
            defer { budget.release(bytes) }
            // Compressing megabytes would hold up all connections of an event loop.
            return await withTaskExecutorPreference(globalConcurrentExecutor) {
                CompressedText(bytes: Gzip.compress(document.text))
            }
        }.bytes
    }

    /// Something may have changed: what was asked for before is asked for again.
    func forget() { documents.forget() }

    /// How many wait for the comments of an image.
    func waiting(for imageID: UUID) -> Int { documents.waiting(for: imageID) }

    /// How many lists are held.
    var count: Int { documents.count }
}

/// A text as gzip; nil when the library has refused.
private struct CompressedText: SharedAnswer {
    let bytes: ByteBuffer?

    var heldBytes: Int? { bytes?.readableBytes }

    var kept: CompressedText { self }
}
