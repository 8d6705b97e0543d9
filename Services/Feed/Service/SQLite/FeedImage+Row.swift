import EdgeModel
import Feed
import Foundation
import GRDB
import JSON

extension FeedImage {
    /// - Parameter row: has `columns`.
    init(row: Row) throws {
        let placeholder: Data? = try row.decode(atIndex: 6)
        self.init(
            id: try row.decode(atIndex: 0), description: try row.decode(atIndex: 1),
            location: try row.decode(atIndex: 2), image: try row.decode(atIndex: 3),
            tags: try Self.read(row.decode(atIndex: 8), Self.tags(stored:)),
            publishedAt: Self.date(stored: try row.decode(atIndex: 7)),
            hints: PictureHints(
                width: try row.decode(atIndex: 4), height: try row.decode(atIndex: 5),
                placeholder: placeholder.flatMap(Placeholder.init)),
            details: try Self.read(row.decode(atIndex: 9), Self.details(stored:)))
    }

    private static func read<Value>(
        _ text: String?, _ decode: (String?) throws(JSONError) -> Value
    ) throws -> Value {
        do throws(JSONError) {
            return try decode(text)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an item cannot be read: \(error)")
        }
    }
}
