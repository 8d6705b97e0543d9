import GRDB
import RPCTestKit
import Testing

@testable import SQLiteKit

/// The steps of a check of the content.
@Suite struct StoreScanTests {
    /// Runs all steps.
    /// - Returns: the rows of each step that a check has seen, and all findings.
    private func scan(
        _ db: Database, _ checks: [RowCheck] = [], isOver: () -> Bool = { false }
    ) throws -> (steps: [String], findings: [String]) {
        var (scan, steps, findings) = (try StoreScan(db, checks), [String](), [String]())
        while let table = scan.table {
            let step = try scan.step(table, db, isOver: isOver)
            steps.append("\(step.table) \(step.rowCount)")
            findings += step.findings
            scan.advance(after: step)
        }
        return (steps, findings)
    }

    private func with(_ schema: String, _ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: schema)
            try body(db)
        }
    }

    private func fill(_ table: String, _ rows: Int, _ db: Database, value: String = "'a'") throws {
        guard rows > 0 else { return }
        try db.execute(
            sql: """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO \(table) SELECT i, \(value) FROM n
                """)
    }

    @Test(arguments: [
        (0, ["thing 0"]), (200, ["thing 200", "thing 0"]), (201, ["thing 200", "thing 1", "thing 0"]),
    ])
    func `a step has at most 200 rows`(rows: Int, steps: [String]) throws {
        try with("CREATE TABLE thing (a INTEGER PRIMARY KEY, b TEXT) STRICT") { db in
            try fill("thing", rows, db)
            #expect(try scan(db).steps == steps)
        }
    }

    /// The key counts twice, with 8 bytes each.
    @Test(arguments: [(1_999_984, ["thing 2", "thing 1", "thing 0"]), (1_999_983, ["thing 3", "thing 0"])])
    func `a step ends at 4 MB`(bytes: Int, steps: [String]) throws {
        try with("CREATE TABLE thing (a INTEGER PRIMARY KEY, b BLOB) STRICT") { db in
            try fill("thing", 3, db, value: "zeroblob(\(bytes))")
            #expect(try scan(db).steps == steps)
        }
    }

    @Test func `a step that has no time reads one row`() throws {
        try with("CREATE TABLE thing (a INTEGER PRIMARY KEY, b TEXT) STRICT") { db in
            try fill("thing", 2, db)
            #expect(try scan(db, isOver: { true }).steps == ["thing 1", "thing 1", "thing 0"])
        }
    }

    @Test func `every row of every kind of table is seen once`() throws {
        let schema = """
            CREATE TABLE plain (a, b);
            CREATE TABLE named (a INTEGER PRIMARY KEY, b);
            CREATE TABLE text (a TEXT PRIMARY KEY, b);
            CREATE TABLE keyed (a TEXT, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID;
            CREATE INDEX keyed_by_a ON keyed (a);
            CREATE INDEX part ON plain (a) WHERE b = 1;
            CREATE INDEX computed ON plain (a + 1);
            CREATE VIRTUAL TABLE word USING fts5 (a, b);
            """
        try with(schema) { db in
            for table in ["plain", "named", "text", "word"] { try fill(table, 450, db) }
            try db.execute(sql: "INSERT INTO keyed SELECT a, b % 3 FROM (SELECT a, rowid AS b FROM text)")
            let checks = ["plain", "named", "text", "keyed", "word_content"].map { table in
                RowCheck(table, adding: "'x' AS x") { "\(table) \($0["a"]) \($0["c0"]) \($0["x"])" }
            }
            let (steps, findings) = try scan(db, checks)
            #expect(Set(findings).count == 5 * 450 && findings.count == 5 * 450)
            #expect(steps.contains("word_data 1") || steps.contains { $0.hasPrefix("word_data") })
        }
    }

    @Test(arguments: ["", " WITHOUT ROWID"])
    func `an index without an entry of a row is found`(kind: String) throws {
        let schema = "CREATE TABLE thing (a TEXT NOT NULL PRIMARY KEY, b TEXT)\(kind); CREATE INDEX by_b ON thing (b)"
        try with(schema) { db in
            try fill("thing", 300, db)
            #expect(try scan(db).findings == [])
            // SQLite does not write to an index that the schema lacks.
            let index = try #require(try Row.fetchOne(db, sql: "SELECT * FROM sqlite_schema WHERE name = 'by_b'"))
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'by_b';
                    PRAGMA writable_schema = RESET
                    """)
            try db.execute(sql: "INSERT INTO thing VALUES ('more', 'a')")
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(
                sql: "INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)",
                arguments: StatementArguments(index.databaseValues))
            try db.execute(sql: "PRAGMA writable_schema = RESET")
            #expect(try scan(db).findings == ["the index by_b lacks rows of the table thing"])
        }
    }
}
