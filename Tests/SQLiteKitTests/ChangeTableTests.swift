import Foundation
import GRDB
import JSON
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// A change of the tests: a number.
private struct Step: WatchedChange, ExpressibleByIntegerLiteral {
    let number: Int

    init(_ number: Int) { self.number = number }
    init(integerLiteral number: Int) { self.number = number }

    var weight: Int { 8 }
}

@Suite struct ChangeTableTests {
    private static let opening: StoreOpening = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: ChangeTable.schema) }
        return StoreOpening(applicationID: "TEST", migrator: migrator)
    }()

    private func withStore(_ body: (_ pool: DatabasePool, _ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try await body(try Self.opening.open(path), path)
        }
    }

    private func append(_ numbers: some Sequence<Int>, to pool: DatabasePool) throws {
        for number in numbers { try pool.write { try ChangeTable.append(RawJSON(number, as: .integer()), $0) } }
    }

    private func news(after mark: ChangeMark?, _ pool: DatabasePool) throws -> ChangeNews<Step>? {
        try pool.read {
            try ChangeTable.news(after: mark, $0, report: { _ in }) { json throws(JSONError) in
                Step(try json.read(as: .integer()))
            }
        }
    }

    private func last(_ pool: DatabasePool) throws -> ChangeMark { try pool.read(ChangeTable.last) }

    /// All events after a mark.
    private func told(after mark: ChangeMark?, _ pool: DatabasePool) throws -> [ChangeNews<Step>.Content] {
        var (told, mark) = ([ChangeNews<Step>.Content](), mark)
        while let news = try news(after: mark, pool) {
            told.append(news.content)
            mark = news.mark
        }
        return told
    }

    @Test(arguments: [0, 1, 3]) func `a watcher gets every change once, in order`(count: Int) async throws {
        try await withStore { pool, _ in
            let start = try last(pool)
            try append(0..<count, to: pool)
            #expect(try told(after: start, pool) == (0..<count).map { .change(Step($0)) })
            #expect(try last(pool).number == count)
            #expect(try told(after: last(pool), pool) == [])
        }
    }

    @Test func `a watcher continues after a restart`() async throws {
        try await withStore { pool, path in
            let start = try last(pool)
            try append(1...2, to: pool)
            let first = try #require(try news(after: start, pool)).mark
            try pool.closeIntoOneFile()
            let pool = try Self.opening.open(path)
            try append(3...3, to: pool)
            #expect(try told(after: start, pool) == [.change(1), .change(2), .change(3)])
            #expect(try told(after: first, pool) == [.change(2), .change(3)])
        }
    }

    @Test func `a write that is undone is no change`() async throws {
        struct Undone: Error {}
        try await withStore { pool, _ in
            #expect(throws: Undone.self) {
                try pool.write { db in
                    try ChangeTable.append(RawJSON(1, as: .integer()), db)
                    throw Undone()
                }
            }
            let end = try last(pool)
            #expect(end.number == 0)
        }
    }

    @Test func `an unknown mark gets a reset, whose mark is the end of the log`() async throws {
        try await withStore { pool, _ in
            let start = try last(pool)
            try append(1...3, to: pool)
            let end = try last(pool)
            let unknown = [
                nil, ChangeMark(life: "other", number: 0), ChangeMark(life: end.life, number: 2),
                ChangeMark(life: end.life, number: 4), ChangeMark(life: start.life, number: 1),
                ChangeMark(life: end.life, number: -1), ChangeMark(life: end.life, number: 0),
                ChangeMark(life: end.life, number: .max),
                ChangeMark(life: "", number: .min),
            ]
            for mark in unknown {
                #expect(try news(after: mark, pool) == ChangeNews(.reset, mark: end), "\(String(describing: mark))")
            }
        }
    }

    /// As after a downgrade and a new upgrade: the earlier version writes no changes.
    @Test func `the mark before the first change is that of one table`() async throws {
        try await withStore { pool, path in
            let start = try last(pool)
            try await pool.write { try $0.execute(sql: "DROP TABLE change; \(ChangeTable.schema)") }
            #expect(try told(after: start, pool) == [.reset])
        }
    }

    /// New changes of the copy have the numbers of the lost ones.
    @Test func `after a store was restored from a copy, only who has seen lost changes gets a reset`() async throws {
        try await withStore { pool, path in
            let start = try last(pool)
            try append(1...2, to: pool)
            let kept = try last(pool)
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            try append(3...4, to: pool)
            let lost = try last(pool)
            try pool.closeIntoOneFile()

            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
            let copy = try Self.opening.open(path)
            #expect(try told(after: lost, copy) == [.reset])
            try append(5...9, to: copy)
            #expect(try told(after: lost, copy) == [.reset])
            #expect(try told(after: kept, copy) == (5...9).map { .change(Step($0)) })
            #expect(try told(after: start, copy).count == 7)
        }
    }

    @Test func `a change that cannot be decoded is missing`() async throws {
        try await withStore { pool, _ in
            let start = try last(pool)
            try append(1...3, to: pool)
            try await pool.write { try $0.execute(sql: "UPDATE change SET content = x'00' WHERE number = 2") }
            #expect(try told(after: start, pool) == [.change(1), .reset])
            let first = try #require(try news(after: start, pool)).mark
            let reports = try await pool.read { db in
                var lines: [String] = []
                _ = try ChangeTable.news(after: first, db, report: { lines.append($0) }) { json throws(JSONError) in
                    Step(try json.read(as: .integer()))
                }
                return lines
            }
            #expect(reports.count == 1 && reports[0].hasPrefix("change 2 cannot be sent"))
        }
    }

    @Test(arguments: [0, 1]) func `a change that is too large for a message is missing`(excess: Int) async throws {
        try await withStore { pool, _ in
            let start = try last(pool)
            try append(1...2, to: pool)
            let size = StoredChange.maximumSent + excess
            try await pool.write { db in
                try db.execute(
                    sql: "UPDATE change SET content = ? WHERE number = 1",
                    arguments: [Data("1".utf8) + Data(repeating: UInt8(ascii: " "), count: size - 1)])
            }
            #expect(try told(after: start, pool) == (excess == 0 ? [.change(1), .change(2)] : [.reset]))
        }
    }

    // MARK: Limits

    /// Writes changes in one statement.
    private func fill(_ pool: DatabasePool, _ count: Int, bytes: Int = 1) throws {
        try pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?1)
                    INSERT INTO change (number, tag, content, total) SELECT x, randomblob(8), iif(?2 = 1, x'31', zeroblob(?2)), x * ?2 FROM n
                    """, arguments: [count, bytes])
        }
    }

    private func oldest(_ pool: DatabasePool) throws -> Int? {
        try pool.read { try Int.fetchOne($0, sql: "SELECT min(number) FROM change") }
    }

    @Test func `the log has the last 100,000 changes, and at most 64 more`() async throws {
        try await withStore { pool, _ in
            let start = try last(pool)
            // Trimmed at 99,968 and at 100,032.
            try fill(pool, StoredChange.maximumCount)
            for number in 100_001...100_031 {
                try append([number], to: pool)
                #expect(try oldest(pool) == 0)
            }
            #expect(try news(after: start, pool)?.mark.number == 1)
            try append(1...1, to: pool)
            #expect(try oldest(pool) == 33)
            #expect(try last(pool).number == 100_032)
            #expect(try news(after: start, pool) == ChangeNews(.reset, mark: last(pool)))
        }
    }

    @Test func `large changes shorten the log to 64 MiB, each at once`() async throws {
        try await withStore { pool, _ in
            let text = String(repeating: "x", count: StoredChange.largeChange - 1)
            let large = RawJSON(text, as: .string)
            try fill(pool, 63, bytes: 1 << 20)
            // Small changes are let in until the 64th.
            try append(1...1, to: pool)
            #expect(try oldest(pool) == 0)
            let free = StoredChange.maximumBytes - 63 * (1 << 20) - 1
            for _ in 0..<free / large.bytes.count { try await pool.write { try ChangeTable.append(large, $0) } }
            #expect(try oldest(pool) == 0)
            try await pool.write { try ChangeTable.append(large, $0) }
            #expect(try oldest(pool) == 2)
            // The last one stays, however large it is.
            try await pool.write {
                try ChangeTable.append(
                    RawJSON(String(repeating: "x", count: StoredChange.maximumBytes), as: .string), $0)
            }
            let end = try last(pool).number
            #expect(try oldest(pool) == end)
        }
    }
}
