import Foundation

/// The first pages of the comments of several images, as many as fit into one answer.
public struct FirstPages: Sendable {
    /// An answer with this number of comments, or with texts of `CommentsPage.maximumBytes`, has no room for another image.
    public static let fullCount = 1_000

    /// In the order of the images.
    public private(set) var pages: [(imageID: UUID, page: CommentsPage)] = []

    /// The images for which there is no room.
    public private(set) var rest: [UUID] = []

    /// - Parameter slice: reads the first comments of an image; nil when they are unknown.
    public init(of imageIDs: [UUID], _ slice: (UUID) throws -> CommentsSlice?) rethrows {
        var (comments, bytes) = (0, 0)
        for (index, imageID) in imageIDs.enumerated() {
            guard comments < Self.fullCount, bytes < CommentsPage.maximumBytes else {
                rest = Array(imageIDs[index...])
                return
            }
            guard let page = try slice(imageID).map(CommentsPage.init) else { continue }
            comments += page.items.count
            bytes += page.items.reduce(0) { $0 + $1.textBytes }
            pages.append((imageID, page))
        }
    }
}
