import Foundation
import NIOCore
import RPC
import Timing

/// A JSON document that several requests share.
protocol SharedDocument: SharedAnswer {
    var json: JSONDocument { get }
}

/// A short-lived cache of JSON documents and their compressed forms. For concurrent requests a document is read, written,
/// hashed and compressed once.
struct RecentDocuments<ID: Hashable & Sendable, Document: SharedDocument>: Sendable {
    private let documents: RecentAnswers<ID, Document>

    /// Keyed by the hash of the text, so an entry is never outdated.
    private let compressed: RecentAnswers<String, CompressedText>

    /// - Parameters:
    ///   - time: how long a document is served without asking the services.
    ///   - bytes: the maximum size of all documents; a single one may have half of it. Their compressed forms have a
    ///     separate limit of the same size.
    ///   - joinTime: the maximum age of a load that later requests may join.
    init(time: TimeAmount, bytes: Int, joinTime: TimeAmount, clock: any MonotonicClock) {
        documents = RecentAnswers(time: time, bytes: bytes, joinTime: joinTime, clock: clock)
        compressed = RecentAnswers(time: time, bytes: bytes, joinTime: joinTime, clock: clock)
    }

    /// Runs the loads, until the task is cancelled.
    func run() async {
        async let compressing: Void = compressed.run()
        await documents.run()
        await compressing
    }

    /// - Parameters:
    ///   - isFresh: whether the client must see all changes so far, also those that this gateway has not heard of because they were
    ///     written through another one.
    ///   - load: generates the document. It is called unless the document is cached or being generated.
    func document(
        of id: ID, isFresh: Bool = false, _ load: @escaping @Sendable () async throws(RPCError) -> Document
    ) async throws(RPCError) -> Document {
        isFresh ? try await load() : try await documents.value(of: id, load)
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

    /// Removes all cached documents, after a change.
    func forget() { documents.forget() }

    /// Returns once the number of callers that wait for a document fulfils the condition.
    func wait(for id: ID, until isSo: @escaping @Sendable (_ callers: Int) -> Bool) async {
        await documents.wait(for: id, until: isSo)
    }

    /// The number of cached documents.
    var count: Int { documents.count }
}

/// A text as gzip; nil when the compression failed.
private struct CompressedText: SharedAnswer {
    let bytes: ByteBuffer?

    var heldBytes: Int? { bytes?.readableBytes }

    var kept: CompressedText { self }
}
