import EdgeModel
import Feed
import Foundation
import GRDB

/// The upstream's latest answers, for conditional requests. Each row has only the validators and the ids of an answer;
/// the items are in the runs.
struct KnownAnswers {
    let db: Database

    /// The maximum number of answers; the oldest are evicted.
    static let most = 10_000

    func keep(_ page: FetchedFeedPage) throws {
        let key: StatementArguments = [Self.key(page.cursor), page.cursor.isDownward, page.limit]
        guard !page.validators.isEmpty else {
            try db.cachedStatement(sql: "DELETE FROM answer WHERE cursor = ? AND downward = ? AND size = ?")
                .execute(arguments: key)
            return
        }
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO answer
                (cursor, downward, size, etag, last_modified, continuation, ids, fingerprint)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: key + [
                page.validators.etag, page.validators.lastModified, page.continuation.rawValue,
                Data(page.items.flatMap(\.id.bytes)), Fingerprint(page.items).value,
            ])
        try db.cachedStatement(sql: "DELETE FROM answer WHERE number <= ?")
            .execute(arguments: [db.lastInsertedRowID - Int64(Self.most)])
    }

    /// Nil when one of the answer's items was changed or evicted: then the upstream must send the whole page.
    func find(_ limit: Int, at cursor: FeedCursor) throws -> KnownAnswer? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT etag, last_modified, continuation, ids, fingerprint FROM answer
                WHERE cursor = ? AND downward = ? AND size = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [Self.key(cursor), cursor.isDownward, limit]) else {
            return nil
        }
        let items = try UUID.all(in: row[3]).compactMap { try CacheLinks(db: db).item($0)?.image }
        guard Fingerprint(items).value == row[4] else { return nil }
        return KnownAnswer(
            items: items, continuation: FeedContinuation(rawValue: row[2]) ?? .unknown,
            validators: AnswerValidators(etag: row[0], lastModified: row[1]))
    }

    /// The key of a cursor; empty for the start.
    private static func key(_ cursor: FeedCursor) -> Data { Data(cursor.id?.bytes ?? []) }
}

/// A hash (FNV-1a, 64 bits) of the texts, tags and details of items, which detects changed and missing items. It is stable across instances
/// of the service.
struct Fingerprint {
    private(set) var value: Int64

    init(_ items: [FeedImage]) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        for item in items {
            for text in [item.description, item.location, item.image, item.tagsText, item.detailsText] {
                add((text ?? "").utf8)
                // A separator that occurs in no text.
                add([0])
            }
        }
        value = Int64(bitPattern: hash)
    }
}

extension UUID {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: uuid, Array.init) }

    fileprivate static func all(in data: Data) -> [UUID] {
        let bytes = Array(data)
        return stride(from: 0, to: bytes.count - 15, by: 16).map { start in
            UUID(uuid: bytes[start..<start + 16].withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        }
    }
}
