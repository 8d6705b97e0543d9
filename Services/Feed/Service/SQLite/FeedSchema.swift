import GRDB
import SQLiteKit

/// The tables of the feed.
enum FeedSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // AUTOINCREMENT: no position is used twice, not even that of a removed item.
            "1 items and tombstones": """
            CREATE TABLE item (
                position    INTEGER PRIMARY KEY AUTOINCREMENT,
                id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                description TEXT CHECK (length(description) BETWEEN 1 AND 10000),
                location    TEXT CHECK (length(location) BETWEEN 1 AND 1000),
                image       TEXT NOT NULL CHECK (length(CAST(image AS BLOB)) BETWEEN 1 AND 2048)
            ) STRICT;

            -- Removed items remain valid cursors.
            CREATE TABLE tombstone (
                id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
                position INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """,
            "2 hints": """
            ALTER TABLE item ADD COLUMN width INTEGER;
            ALTER TABLE item ADD COLUMN height INTEGER;
            ALTER TABLE item ADD COLUMN placeholder BLOB CHECK (length(placeholder) <= 40);
            """,
            "3 dates": """
            -- In seconds since 1970; NULL for the items from before this column.
            ALTER TABLE item ADD COLUMN published_at INTEGER;
            """,
            "4 tags": """
            -- A JSON array of texts; NULL for an item without tags.
            ALTER TABLE item ADD COLUMN tags TEXT CHECK (json_type(tags) = 'array');
            """,
            "5 details": """
            -- A JSON object: alt, credit, license, source, sensitive; NULL for an item without any of them.
            ALTER TABLE item ADD COLUMN details TEXT CHECK (json_type(details) = 'object');
            """,
            "6 changes": ChangeTable.schema,
            "7 the number of items": """
            -- One row: to count the items would read an index of all. Each write adds its number at once.
            CREATE TABLE total (items INTEGER NOT NULL) STRICT;
            INSERT INTO total SELECT count(*) FROM item;
            """,
        ])
    }
}
