import Comments
import EdgeModel
import Foundation

/// The model of an edge's cache: the answers in a list.
actor InMemoryCommentsCache: CommentsCache {
    private struct Entry {
        var answer: CachedComments

        /// The answer's comments, and those of earlier answers that it no longer has.
        let places: [CommentPlace]

        var bytes: Int { answer.bytes + (places.count - answer.comments.count) * CommentPlace.bytes }
    }

    /// The one that was stored or renewed the longest time ago first.
    private var entries: [Entry] = []
    private var lastNumber: Int64 = 0
    private let limits: CommentsCacheLimits

    init(limits: CommentsCacheLimits = CommentsCacheLimits()) { self.limits = limits }

    func keep(_ answer: CachedComments) -> CommentsCacheChange? {
        guard answer.comments.count <= limits.comments, answer.bytes <= limits.bytes else { return nil }
        lastNumber += 1
        let former = entry(of: answer.imageID)?.places ?? []
        let places = CommentPlaces.replacing(
            former, by: answer.comments.map(\.id), answer: lastNumber,
            limit: limits.gonePlaces(beside: answer))
        entries.removeAll { $0.answer.imageID == answer.imageID }
        entries.append(Entry(answer: answer, places: places))
        while entries.count > limits.images || entries.map(\.bytes).reduce(0, +) > limits.bytes {
            entries.removeFirst()
        }
        return CommentsCacheChange(from: former, to: answer)
    }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) -> Bool {
        guard
            let index = entries.firstIndex(where: {
                $0.answer.imageID == imageID && $0.answer.validators == validators
            })
        else { return false }
        var entry = entries.remove(at: index)
        entry.answer = CachedComments(
            imageID: imageID, comments: entry.answer.comments, savedAt: savedAt, validators: validators)
        entries.append(entry)
        return true
    }

    func validators(of imageID: UUID) -> AnswerValidators? { entry(of: imageID)?.answer.validators }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) throws -> CachedSlice? {
        guard let entry = entry(of: imageID) else { return nil }
        var rest = entry.places[...]
        if let id {
            guard let index = rest.firstIndex(where: { $0.id == id }) else {
                throw CommentsStoreError.unknownCursor(id)
            }
            rest = rest[(index + 1)...]
        }
        let comments = entry.answer.comments.suffix(rest.count { $0.goneSince == nil })
        return CachedSlice(
            slice: CommentsSlice(items: Array(comments.prefix(limit)), hasMore: comments.count > limit),
            savedAt: entry.answer.savedAt)
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) throws -> FirstPages {
        try FirstPages(of: imageIDs) { try slice(limit, of: $0, after: nil)?.slice }
    }

    func counts(of imageIDs: [UUID]) -> [UUID: Int] {
        let answers = entries.map(\.answer).filter { imageIDs.contains($0.imageID) && !$0.comments.isEmpty }
        return Dictionary(uniqueKeysWithValues: answers.map { ($0.imageID, $0.comments.count) })
    }

    private func entry(of imageID: UUID) -> Entry? { entries.first { $0.answer.imageID == imageID } }
}
