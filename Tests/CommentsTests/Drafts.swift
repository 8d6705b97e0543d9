import Comments
import Foundation
import RPCTestKit

/// A draft with a number.
func draft(
    _ number: Int, on image: Int = 0, saying message: String = "Lovely!", by username: String = "ana",
    at createdAt: Date? = nil
) -> CommentDraft {
    CommentDraft(
        id: UUID(number: number), imageID: UUID(number: image), message: message, username: username,
        createdAt: createdAt)
}

extension CommentsSlice {
    /// The numbers of the comments.
    var numbers: [Int] { items.map(\.id.number) }
}

extension CommentsStore {
    func post(_ drafts: [CommentDraft]) async throws {
        for draft in drafts { _ = try await post(draft, now: moment(0)) }
    }
}
