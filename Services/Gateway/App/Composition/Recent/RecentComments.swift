import Foundation
import NIOCore
import RPC

/// A short-lived cache of comment lists and their compressed forms. For concurrent requests a list is read, written,
/// hashed and compressed once.
struct RecentComments: Sendable {
    private let documents: RecentAnswers<UUID, CommentsDocument>

    /// Keyed by the hash of the text, so an entry is never outdated.
    private let compressed: RecentAnswers<String, CompressedText>

    init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        documents = RecentAnswers(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime, now: now)
        compressed = RecentAnswers(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime, now: now)
    }

    /// Runs the loads, until the task is cancelled.
    func run() async {
        async let compressing: Void = compressed.run()
        await documents.run()
        await compressing
    }

    /// - Parameter load: generates the document. It is called unless the document is cached or being generated.
    func document(
        of imageID: UUID, _ load: @escaping @Sendable () async throws(RPCError) -> CommentsDocument
    ) async throws(RPCError) -> CommentsDocument {
        try await documents.value(of: imageID, load)
    }

    /// - Returns: nil when the compression fails.
    /// - Throws: `overloaded` when the budget is used up.
    func gzip(_ document: JSONDocument, within budget: AnswerBudget) async throws(RPCError) -> ByteBuffer? {
        try await compressed.value(of: document.hash) { () throws(RPCError) in
            let bytes = document.text.readableBytes
            guard bytes > AnswerBudget.smallAnswer else { return CompressedText(bytes: Gzip.compress(document.text)) }
            try budget.reserve(bytes)
            defer { budget.release(bytes) }
            // Compressing megabytes would block all connections of an event loop.
            return await withTaskExecutorPreference(globalConcurrentExecutor) {
                CompressedText(bytes: Gzip.compress(document.text))
            }
        }.bytes
    }

    /// Removes all cached lists, after a change.
    func forget() { documents.forget() }

    /// The number of callers that wait for the comments of an image.
    func waiting(for imageID: UUID) -> Int { documents.waiting(for: imageID) }

    /// The number of cached lists.
    var count: Int { documents.count }
}

/// A text as gzip; nil when the compression failed.
private struct CompressedText: SharedAnswer {
    let bytes: ByteBuffer?

    var heldBytes: Int? { bytes?.readableBytes }

    var kept: CompressedText { self }
}
