import Comments
import Foundation
import RPC

/// Maps the feature's errors to those of the contract.
func answering<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
) async throws -> Answer {
    do {
        return try await body()
    } catch CommentsStoreError.unknownCursor(let id) {
        throw RPCError(.invalidParams, "params.after_id: \(id.uuidString) was never a comment of this image")
    } catch CommentsStoreError.conflict(let id) {
        throw RPCError(
            .alreadyExists, "the comment \(id.uuidString) exists with other content; nothing was written")
    }
}
