import ServiceKit

/// The tables of a kind of store, in a schema of their own: several kinds share one database.
public struct PostgresSchema: Sendable {
    public let name: String
    private let steps: [(name: String, sql: String)]

    /// - Parameters:
    ///   - name: in small letters and underscores.
    ///   - steps: the name and the SQL of each migration, in order. Released ones are never changed; new ones are added. A program of the
    ///     version before goes on with the connections that it has, and is refused when it connects again.
    public init(_ name: String, steps: KeyValuePairs<String, String>) {
        self.name = name
        // Every store has the row that orders its writers.
        self.steps = [("0 changes", PostgresChanges.schema)] + steps.map { ($0.key, $0.value) }
    }

    /// Prepares a new connection: examines the database, and migrates the schema where it must.
    /// - Throws: `PostgresError`.
    func open(_ connection: PostgresConnection) throws {
        do {
            if try examine(connection) < steps.count { try migrate(connection) }
        } catch PostgresError.refused(code: "42501", let message) {
            throw PostgresError.unusable(.noRight(message))
        }
    }

    /// - Returns: the number of migrations that the database has.
    /// - Throws: `PostgresError`, also if they are not those of this program.
    @discardableResult
    func examine(_ connection: PostgresConnection) throws -> Int {
        if let refusal = DatabaseUnusable.refusal(ofVersion: connection.serverVersion) {
            throw PostgresError.unusable(refusal)
        }
        try connection.run("SET search_path = \(name)")
        return try steps(appliedIn: connection)
    }

    /// - Returns: the number of migrations that the database has.
    private func steps(appliedIn connection: PostgresConnection) throws -> Int {
        let found = try connection.execute(
            """
            SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on', current_setting('server_encoding'),
                to_regclass($1) IS NOT NULL,
                EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $2)
            """, .value("\(name).migration"), .value(name))
        guard let row = found.first else { throw PostgresError.undecodable }
        if try row.decode(0) { throw PostgresError.unusable(.readOnly) }
        let encoding: String = try row.decode(1)
        guard encoding == "UTF8" else { throw PostgresError.unusable(.encoding(encoding)) }
        guard try row.decode(2) else {
            if try row.decode(3) { throw PostgresError.unusable(.foreign(schema: name)) }
            return 0
        }
        let applied: [String]
        do {
            applied = try connection.execute("SELECT name FROM migration ORDER BY number").map { try $0.decode(0) }
        } catch PostgresError.refused(code: "42703", _), PostgresError.undecodable {
            throw PostgresError.unusable(.foreign(schema: name))
        }
        let own = steps.map(\.name)
        if own.starts(with: applied) { return applied.count }
        throw PostgresError.unusable(
            applied.starts(with: own) ? .newer(schema: name) : .foreign(schema: name))
    }

    /// Runs the missing migrations in one transaction. One program at a time does so.
    private func migrate(_ connection: PostgresConnection) throws {
        try connection.migrate { connection in
            try connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", .value("image-feed \(name)"))
            let applied = try steps(appliedIn: connection)
            guard applied < steps.count else { return }
            if applied == 0 {
                // An administrator may have created the schema for a user who may not.
                let isThere = try connection.execute("SELECT to_regnamespace($1) IS NOT NULL", .value(name)).first?
                    .decode(0, as: Bool.self)
                if isThere != true { try connection.run("CREATE SCHEMA \(name)") }
                try connection.run("CREATE TABLE migration (number bigint PRIMARY KEY, name text NOT NULL)")
            }
            for (index, step) in steps.enumerated().dropFirst(applied) {
                try connection.run(step.sql)
                try connection.execute("INSERT INTO migration VALUES ($1, $2)", .value(Int64(index)), .value(step.name))
            }
        }
    }
}
