import Foundation
import GRDB

/// A pass over the content of a store, table by table and row by row, that can pause between any two steps.
///
/// A step reads all columns of some rows, and finds each of them through the indexes of its table. So it detects pages that cannot be
/// read and entries that an index lacks, but not entries that an index has in excess, which `PRAGMA integrity_check` does.
struct StoreScan {
    /// What only the schema knows of the rows of a table.
    let checks: [String: RowCheck]

    private var tables: [ScannedTable]
    private var last: [DatabaseValue]?

    init(_ db: Database, _ checks: [RowCheck]) throws {
        self.checks = Dictionary(checks.map { ($0.table, $0) }) { first, _ in first }
        tables = try ScannedTable.all(db).reversed()
    }

    /// The table of the next step; nil at the end.
    var table: ScannedTable? { tables.last }

    /// The rows of a step that their check has still to see, off the store's thread.
    struct Step: Sendable {
        let table: String
        let rowCount: Int

        /// The names of indexes that lack rows of this step.
        let incomplete: [String]
        fileprivate let last: [DatabaseValue]?
        fileprivate let rows: [ScannedRow]
        fileprivate let check: RowCheck?

        var findings: [String] {
            let missing = incomplete.map { "the index \($0) lacks rows of the table \(table)" }
            return missing + rows.compactMap { check?.finding($0) }
        }
    }

    /// The maximum number of rows in a step.
    static let rowsInStep = 200

    /// Reads rows until this number of bytes is read, or `isOver` says so, but at least one.
    static let bytesInStep = 4_000_000

    /// Reads the next rows.
    func step(_ table: ScannedTable, _ db: Database, isOver: () -> Bool) throws -> Step {
        let (check, keys) = (checks[table.name], table.keys.count)
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: table.query(adding: check?.column, isFirst: last == nil)),
            arguments: StatementArguments(last ?? []))
        var (end, rows, count, bytes) = (last, [ScannedRow](), 0, 0)
        while count < Self.rowsInStep, bytes < Self.bytesInStep, count == 0 || !isOver(), let row = try cursor.next() {
            // Reads all columns.
            let values = Array(row.databaseValues)
            count += 1
            bytes += values.reduce(0) { $0 + $1.size }
            end = Array(values.prefix(keys))
            if check != nil { rows.append(ScannedRow(columns: Array(row.columnNames), values: values)) }
        }
        guard count > 0, let end else {
            return Step(table: table.name, rowCount: 0, incomplete: [], last: nil, rows: [], check: nil)
        }
        let incomplete = try table.indexes.filter { index in
            let (sql, bounds) = (index.lackQuery(isFirst: last == nil), StatementArguments((last ?? []) + end))
            return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: bounds) ?? false
        }
        return Step(
            table: table.name, rowCount: count, incomplete: incomplete.map(\.name), last: end, rows: rows, check: check)
    }

    mutating func advance(after step: Step) {
        last = step.last
        if step.last == nil { skipTable() }
    }

    mutating func skipTable() {
        tables.removeLast()
        last = nil
    }
}

/// Checks each row of a table against what only the schema knows.
public struct RowCheck: Sendable {
    let table: String

    /// An SQL expression whose value is a column of the row, too.
    let column: String?

    /// - Returns: what is wrong with the row; nil for nothing. Runs off the store's thread.
    let finding: @Sendable (ScannedRow) -> String?

    public init(_ table: String, adding column: String? = nil, finding: @escaping @Sendable (ScannedRow) -> String?) {
        (self.table, self.column, self.finding) = (table, column, finding)
    }
}

/// A row that was read, apart from its store.
public struct ScannedRow: Sendable {
    fileprivate let columns: [String]
    fileprivate let values: [DatabaseValue]

    /// NULL for a column that is not there.
    public subscript(column: String) -> DatabaseValue {
        columns.firstIndex(of: column).map { values[$0] } ?? .null
    }
}

/// A table as the scan needs it.
struct ScannedTable {
    let name: String

    /// The columns of the primary key, or the row id, in SQL.
    let keys: [String]
    let indexes: [Index]

    struct Index {
        let name: String
        fileprivate let table: String
        fileprivate let keys: [String]
        fileprivate let columns: [String]

        /// Whether rows between two keys are not in the index.
        /// - Parameter isFirst: whether there is no lower bound.
        func lackQuery(isFirst: Bool) -> String {
            let same = (columns + keys).map { "entry.\($0) IS scanned.\($0)" }.joined(separator: " AND ")
            let key = ScannedTable.tuple(keys, of: "scanned.")
            let bounds = (isFirst ? ["<="] : [">", "<="]).map { "\(key) \($0) \(ScannedTable.marks(keys))" }
            return """
                SELECT EXISTS (SELECT 1 FROM \(table) AS scanned NOT INDEXED
                    WHERE \(bounds.joined(separator: " AND ")) AND NOT EXISTS (
                        SELECT 1 FROM \(table) AS entry INDEXED BY \(name.quotedDatabaseIdentifier) WHERE \(same)))
                """
        }
    }

    /// All rows after a key, in the order of the keys, which come first.
    func query(adding column: String?, isFirst: Bool) -> String {
        let columns = keys + ["*"] + [column].compactMap(\.self)
        let after = isFirst ? "" : " WHERE \(Self.tuple(keys)) > \(Self.marks(keys))"
        let order = keys.joined(separator: ", ")
        let selected = columns.joined(separator: ", ")
        return "SELECT \(selected) FROM \(name.quotedDatabaseIdentifier)\(after) ORDER BY \(order)"
    }

    private static func tuple(_ names: [String], of table: String = "") -> String {
        "(\(names.map { table + $0 }.joined(separator: ", ")))"
    }

    private static func marks(_ names: [String]) -> String { "(\(names.map { _ in "?" }.joined(separator: ", ")))" }

    static func all(_ db: Database) throws -> [ScannedTable] {
        let tables = try Row.fetchAll(
            db,
            sql: """
                SELECT name, wr FROM pragma_table_list
                WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                ORDER BY name
                """)
        return try tables.map { row in
            let (name, hasNoRowID): (String, Bool) = (row[0], row[1])
            let keys = hasNoRowID ? try keys(of: name, db) : ["_rowid_"]
            return ScannedTable(name: name, keys: keys, indexes: try indexes(of: name, keys, isTable: hasNoRowID, db))
        }
    }

    private static func keys(of table: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", arguments: [table]
        ).map(\.quotedDatabaseIdentifier)
    }

    /// Those that have every row. Partial ones are left out, and so are those of expressions.
    /// - Parameter isTable: whether the index of the primary key is the table itself.
    private static func indexes(of table: String, _ keys: [String], isTable: Bool, _ db: Database) throws -> [Index] {
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND NOT (origin = 'pk' AND ?)",
            arguments: [table, isTable])
        return try names.compactMap { name in
            let columns = try Optional<String>.fetchAll(
                db, sql: "SELECT name FROM pragma_index_info(?)", arguments: [name])
            guard columns.allSatisfy({ $0 != nil }) else { return nil }
            return Index(
                name: name, table: table.quotedDatabaseIdentifier, keys: keys,
                columns: columns.compactMap { $0?.quotedDatabaseIdentifier })
        }
    }
}

extension DatabaseValue {
    fileprivate var size: Int {
        switch storage {
        case .blob(let data): data.count
        case .string(let text): text.utf8.count
        case .null, .int64, .double: 8
        }
    }
}
