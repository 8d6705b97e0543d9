import GRDB

extension DatabaseMigrator {
    /// Migrates with SQL only.
    /// - Parameter steps: the name and the SQL of each migration, in order. Released ones are never changed; new ones are added.
    public init(steps: KeyValuePairs<String, String>) {
        self.init()
        for (name, sql) in steps { registerMigration(name) { try $0.execute(sql: sql) } }
    }
}
