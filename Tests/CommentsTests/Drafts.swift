import Comments
import Foundation

/// A draft with a number.
func draft(
    _ number: Int, on image: Int = 0, saying message: String = "Lovely!", by username: String = "ana",
    at createdAt: Date? = nil
) -> CommentDraft {
    CommentDraft(
        id: UUID(number: number), imageID: UUID(number: image), message: message, username: username,
        createdAt: createdAt)
}

/// A time in seconds after a fixed noon.
func moment(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_772_366_400 + seconds) }

extension UUID {
    init(number: Int) {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        // Always valid: the text has the form of a UUID.
        self.init(uuidString: text)!
    }
}

extension CommentsSlice {
    /// The numbers of the comments.
    var numbers: [Int] { items.map { Int($0.id.uuidString.suffix(12)) ?? -1 } }
}

extension CommentsStore {
    func post(_ drafts: [CommentDraft]) async throws {
        for draft in drafts { _ = try await post(draft, now: moment(0)) }
    }
}
