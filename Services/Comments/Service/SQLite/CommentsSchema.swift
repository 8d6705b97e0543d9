import GRDB

/// The tables of the comments. Steps are never changed once released, only added to.
enum CommentsSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 comments and tombstones") { db in
            // AUTOINCREMENT: a position is never used twice, also not that of a comment that was removed.
            // Text is measured in bytes, four of which are the most that a scalar takes: SQLite's length() ends at U+0000.
            try db.execute(
                sql: """
                    CREATE TABLE comment (
                        position   INTEGER PRIMARY KEY AUTOINCREMENT,
                        id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        image_id   BLOB NOT NULL CHECK (length(image_id) = 16),
                        created_at INTEGER NOT NULL,
                        username   TEXT NOT NULL CHECK (length(CAST(username AS BLOB)) BETWEEN 1 AND 4 * 64),
                        message    TEXT NOT NULL CHECK (length(CAST(message AS BLOB)) BETWEEN 1 AND 4 * 2000)
                    ) STRICT;

                    -- Ends, as every index, with the position: pages and counts are ranges of it.
                    CREATE INDEX comment_by_image ON comment (image_id);

                    -- Removed comments keep their place, so that readers who stand there can go on.
                    CREATE TABLE tombstone (
                        image_id BLOB NOT NULL CHECK (length(image_id) = 16),
                        id       BLOB NOT NULL CHECK (length(id) = 16),
                        position INTEGER NOT NULL,
                        PRIMARY KEY (image_id, id)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}
