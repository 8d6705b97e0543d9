import Foundation
import JSON
import RPC

/// Parameters of `comments.counts` and `comments.lists`: 1…100 ids.
public struct CommentedImages: Sendable, Equatable {
    public let imageIDs: [UUID]

    public init(imageIDs: [UUID]) { self.imageIDs = imageIDs }

    /// The maximum number of images in one call, which equals the maximum size of a feed page.
    public static let maximumImages = 100

    public static let codec = Codec<CommentedImages>.object { object in
        let imageIDs = object.required("image_ids", .array(of: .uuid, count: 1...maximumImages), \.imageIDs)
        return { members throws(JSONError) in CommentedImages(imageIDs: try members[imageIDs]) }
    }
}
