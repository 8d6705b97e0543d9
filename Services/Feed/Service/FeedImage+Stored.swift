import EdgeModel
import Feed
import Foundation
import JSON

/// The values of an item in the columns of any store.
extension FeedImage {
    /// The columns of an item, in the authority's store and in an edge's cache.
    static let columns = "id, description, location, image, width, height, placeholder, published_at, tags, details"

    /// The value of `tags`.
    var tagsText: String? { tags.isEmpty ? nil : RawJSON(tags, as: .array(of: .string)).description }

    static func tags(stored text: String?) throws(JSONError) -> [String] {
        guard let text else { return [] }
        return try RawJSON(checking: text).read(as: .array(of: .string))
    }

    /// The value of `details`.
    var detailsText: String? { details.isEmpty ? nil : RawJSON(details, as: PictureDetails.codec).description }

    static func details(stored text: String?) throws(JSONError) -> PictureDetails {
        guard let text else { return PictureDetails() }
        return try RawJSON(checking: text).read(as: PictureDetails.codec)
    }

    /// The value of `published_at`.
    var publishedSeconds: Int64? { publishedAt.map { Int64($0.timeIntervalSince1970) } }

    static func date(stored seconds: Int64?) -> Date? {
        seconds.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }
}
