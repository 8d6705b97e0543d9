import EdgeModel
import Foundation
import ImageDataContract

/// A picture of an item: the original, or a variant.
struct WantedPicture: Hashable, Sendable {
    let id: UUID

    /// One of the service's widths; nil for the original.
    let width: Int?
    let acceptsWebP: Bool

    /// - Parameter width: rounded up to the next of the service's widths; above all of them the original is wanted.
    init(id: UUID, width: Int? = nil, acceptsWebP: Bool = false) {
        self.id = id
        self.width = width.flatMap { width in PictureHints.variantWidths.first { $0 >= width } }
        // The original has one format only.
        self.acceptsWebP = self.width != nil && acceptsWebP
    }

    func load(from url: String) -> LoadImage {
        LoadImage(url: url, width: width, accept: acceptsWebP ? [.webp] : nil)
    }
}
