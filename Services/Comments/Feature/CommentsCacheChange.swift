import Foundation

/// What a new answer changes in the cached comments of its image.
public struct CommentsCacheChange: Equatable, Sendable {
    /// The comments that the cached answer did not have, in the order of the new one.
    public let new: [ImageComment]

    /// The comments that the new answer does not have any more, in their former order.
    public let removed: [UUID]

    /// - Parameter places: those of the cached answer.
    public init(from places: [CommentPlace], to answer: CachedComments) {
        let present = places.filter { $0.goneSince == nil }.map(\.id)
        let (former, current) = (Set(present), Set(answer.comments.map(\.id)))
        new = answer.comments.filter { !former.contains($0.id) }
        removed = present.filter { !current.contains($0) }
    }
}
