import Comments
import EdgeModel
import Foundation
import RPCTestKit

@testable import comments_service

/// A cached answer with these comments.
func kept(
    _ numbers: [Int], on image: Int = 0, at savedAt: TimeInterval = 0, etag: String? = nil, excess: Int = 0
) -> CachedComments {
    CachedComments(
        imageID: UUID(number: image), comments: comments(numbers, on: image, excess: excess),
        savedAt: moment(savedAt), validators: AnswerValidators(etag: etag))
}

/// Comments whose texts are their numbers.
/// - Parameter excess: how many bytes longer the last text is.
func comments(_ numbers: [Int], on image: Int = 0, excess: Int = 0) -> [ImageComment] {
    numbers.map { number in
        let rest = String(repeating: "x", count: number == numbers.last ? excess : 0)
        return draft(number, on: image, saying: "No. \(number)\(rest)").comment(now: moment(0))
    }
}

extension CommentsCache {
    /// The numbers of the cached comments; nil when no answer is cached.
    func numbers(
        of image: Int = 0, limit: Int = 100, after cursor: Int? = nil
    ) async throws -> [Int]? {
        try await slice(limit, of: UUID(number: image), after: cursor.map(UUID.init(number:)))?.slice.numbers
    }
}
