import Foundation
import Search

/// An event of the feed or of the comments, as the index applies it.
struct IndexEvent: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// New items at the top, in feed order.
        case published([SearchableImage])
        case removed([UUID])

        /// Items further down in the feed of an edge.
        case found([SearchableImage])
        case feedReset
        case posted([PostedComment])
        case removedComments([UUID])
        case commentsReset
    }

    struct PostedComment: Equatable, Sendable {
        let imageID: UUID
        let comment: SearchableComment
    }

    /// The event's `seq`.
    let seq: String
    let change: Change

    var isOfFeed: Bool {
        switch change {
        case .published, .removed, .found, .feedReset: true
        case .posted, .removedComments, .commentsReset: false
        }
    }
}
