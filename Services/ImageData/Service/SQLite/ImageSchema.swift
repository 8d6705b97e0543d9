import GRDB
import SQLiteKit

/// The tables of the images that were put.
enum ImageSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // The blob is the last column of a rowid table, so that SQLite reads the other columns without it.
            "1 URLs and contents": """
            CREATE TABLE content (
                id           INTEGER PRIMARY KEY,
                sha256       BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
                content_type TEXT NOT NULL CHECK (length(CAST(content_type AS BLOB)) BETWEEN 1 AND 100),
                size         INTEGER NOT NULL CHECK (size > 0),
                crc32        INTEGER NOT NULL CHECK (crc32 BETWEEN 0 AND 4294967295),
                data         BLOB NOT NULL CHECK (length(data) = size)
            ) STRICT;

            -- Several URLs may have the same content; each has its own time.
            CREATE TABLE url (
                url       TEXT PRIMARY KEY NOT NULL CHECK (length(CAST(url AS BLOB)) BETWEEN 1 AND 2048),
                content   INTEGER NOT NULL REFERENCES content (id),
                stored_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX url_by_content ON url (content, stored_at);
            CREATE INDEX url_by_age ON url (stored_at);
            """
        ])
    }
}
