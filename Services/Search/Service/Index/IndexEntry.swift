import Foundation
import Search

/// An image with its comments, as the index has it.
struct IndexEntry: Equatable, Sendable {
    var image: SearchableImage

    /// Ordered by id.
    private(set) var comments: [SearchableComment]

    init(_ image: SearchableImage, _ comments: [SearchableComment]) {
        self.image = image
        self.comments = comments.sorted { $0.id < $1.id }
    }

    /// - Parameter changes: nil removes a comment.
    mutating func change(_ changes: [UUID: SearchableComment?]) {
        let kept = comments.filter { !changes.keys.contains($0.id) }
        self = IndexEntry(image, kept + changes.values.compactMap(\.self))
    }
}
