import EdgeModel
import Feed
import Foundation
import GRDB
import JSON

extension FeedImage {
    /// The columns of an item, in the authority's store and in an edge's cache.
    static let columns = "id, description, location, image, width, height, placeholder, published_at, tags, details"

    /// - Parameter row: has `columns`.
    init(row: Row) throws {
        let placeholder: Data? = try row.decode(atIndex: 6)
        let publishedSeconds: Int64? = try row.decode(atIndex: 7)
        self.init(
            id: try row.decode(atIndex: 0), description: try row.decode(atIndex: 1),
            location: try row.decode(atIndex: 2), image: try row.decode(atIndex: 3),
            tags: try Self.tags(row.decode(atIndex: 8)),
            publishedAt: publishedSeconds.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            hints: PictureHints(
                width: try row.decode(atIndex: 4), height: try row.decode(atIndex: 5),
                placeholder: placeholder.flatMap(Placeholder.init)),
            details: try Self.details(row.decode(atIndex: 9)))
    }

    /// The value of `tags`.
    var tagsText: String? { tags.isEmpty ? nil : RawJSON(tags, as: .array(of: .string)).description }

    private static func tags(_ text: String?) throws -> [String] {
        guard let text else { return [] }
        do throws(JSONError) {
            return try RawJSON(checking: text).read(as: .array(of: .string))
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the tags of an item cannot be read: \(error)")
        }
    }

    /// The value of `details`.
    var detailsText: String? { details.isEmpty ? nil : RawJSON(details, as: PictureDetails.codec).description }

    private static func details(_ text: String?) throws -> PictureDetails {
        guard let text else { return PictureDetails() }
        do throws(JSONError) {
            return try RawJSON(checking: text).read(as: PictureDetails.codec)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the details of an item cannot be read: \(error)")
        }
    }

    /// The value of `published_at`.
    var publishedSeconds: Int64? { publishedAt.map { Int64($0.timeIntervalSince1970) } }
}
