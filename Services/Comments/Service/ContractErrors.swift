import Comments
import Foundation
import RPC

/// The feature's errors as the contract has them.
func answering<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
) async throws -> Answer {
    do {
        return try await body()
    } catch CommentsStoreError.unknownCursor(let id) {
        throw RPCError(.invalidParams, "params.after_id: \(id.uuidString) was never a comment of this image")
    } catch CommentsStoreError.conflict(let id) {
        throw RPCError(
            .alreadyExists, "the comment \(id.uuidString) is there with other content; nothing was written")
    }
}
