import Foundation
import GRDB
import JSON

/// The file of a feed service, read with the statement that the service uses.
struct FeedFile {
    let pool: DatabasePool

    /// The beginning of the image URLs.
    let base: String

    static let defaultLimit = 10

    private struct Item {
        let id: String
        let description: String?
        let location: String?
        let publishedAt: Date?
        let width: Int?
        let height: Int?
        let placeholder: String?

        init(_ row: Row) throws {
            id = try row.decode(UUID.self, atIndex: 0).uuidString
            description = try row.decode(atIndex: 1)
            location = try row.decode(atIndex: 2)
            publishedAt = try row.decode(Int64?.self, atIndex: 3).map { Date(timeIntervalSince1970: TimeInterval($0)) }
            width = try row.decode(atIndex: 4)
            height = try row.decode(atIndex: 5)
            placeholder = try row.decode(Data?.self, atIndex: 6)?.base64EncodedString()
        }
    }

    private static let statement =
        "SELECT id, description, location, published_at, width, height, placeholder FROM item ORDER BY position DESC LIMIT ?"

    /// The body of the first page. Reading takes microseconds, so that it does not pay to change threads for it.
    func page(_ limit: Int) throws -> [UInt8] {
        let items = try pool.read { db in
            let statement = try db.cachedStatement(sql: Self.statement)
            // One more, as the service reads, to know whether a page follows.
            return try Array(Row.fetchCursor(statement, arguments: [limit + 1]).map(Item.init)).prefix(limit)
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("items")
            writer.array(Array(items)) { item, writer in write(item, to: &writer) }
        }
        return writer.bytes
    }

    private func write(_ item: Item, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.string(item.id)
            for (name, text) in [("description", item.description), ("location", item.location)] {
                guard let text else { continue }
                writer.name(name)
                writer.string(text)
            }
            writer.name("image")
            writer.string("\(base)/v1/image/\(item.id)/data")
            if let date = item.publishedAt {
                writer.name("published_at")
                writer.string(WireDate.format(date))
            }
            for (name, number) in [("width", item.width), ("height", item.height)] {
                guard let number else { continue }
                writer.name(name)
                writer.integer(number)
            }
            guard let placeholder = item.placeholder else { return }
            writer.name("placeholder")
            writer.string(placeholder)
        }
    }
}
