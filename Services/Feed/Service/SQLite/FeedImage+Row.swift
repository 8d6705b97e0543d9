import EdgeModel
import Feed
import Foundation
import GRDB

extension FeedImage {
    /// The columns of an item, in the authority's store and in an edge's cache.
    static let columns = "id, description, location, image, width, height, placeholder, published_at, tags"

    /// - Parameter row: has `columns`.
    init(row: Row) throws {
        let placeholder: Data? = try row.decode(atIndex: 6)
        let tags: String? = try row.decode(atIndex: 8)
        let publishedSeconds: Int64? = try row.decode(atIndex: 7)
        self.init(
            id: try row.decode(atIndex: 0), description: try row.decode(atIndex: 1),
            location: try row.decode(atIndex: 2), image: try row.decode(atIndex: 3),
            tags: tags?.split(separator: Self.tagSeparator).map(String.init) ?? [],
            publishedAt: publishedSeconds.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            hints: PictureHints(
                width: try row.decode(atIndex: 4), height: try row.decode(atIndex: 5),
                placeholder: placeholder.flatMap(Placeholder.init)))
    }

    /// A tag has no line breaks.
    private static let tagSeparator: Character = "\n"

    /// The value of `tags`.
    var tagLines: String? { tags.isEmpty ? nil : tags.joined(separator: String(Self.tagSeparator)) }

    /// The value of `published_at`.
    var publishedSeconds: Int64? { publishedAt.map { Int64($0.timeIntervalSince1970) } }
}
