import EdgeModel
import Feed
import Foundation
import JSON
import PostgresKit

extension FeedImage {
    /// - Parameter row: has `columns`.
    init(row: PostgresRow) throws(PostgresError) {
        let placeholder: Data? = try row.find(6)
        self.init(
            id: try row.decode(0), description: try row.find(1), location: try row.find(2), image: try row.decode(3),
            tags: try Self.read(row.find(8), Self.tags(stored:)), publishedAt: Self.date(stored: try row.find(7)),
            hints: PictureHints(
                width: try Self.int(row, 4), height: try Self.int(row, 5),
                placeholder: placeholder.flatMap(Placeholder.init)),
            details: try Self.read(row.find(9), Self.details(stored:)))
    }

    private static func int(_ row: PostgresRow, _ column: Int) throws(PostgresError) -> Int? {
        try row.find(column, as: Int64.self).map { Int($0) }
    }

    private static func read<Value>(
        _ text: String?, _ decode: (String?) throws(JSONError) -> Value
    ) throws(PostgresError) -> Value {
        do throws(JSONError) {
            return try decode(text)
        } catch {
            throw .undecodable
        }
    }
}
