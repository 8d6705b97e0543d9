import GRDB
import SQLiteKit

/// The tables of the cache of fetched bytes.
enum ImageCacheSchema {
    /// The size that a URL counts against the budget beside its text, in bytes.
    static let urlOverhead = 128

    /// The size that a variant counts against the budget beside its bytes.
    static let variantOverhead = 128

    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // Bytes are in a separate table, so that recording a use does not rewrite them.
            "1 URLs, contents and their weight": """
            CREATE TABLE content (
                id           INTEGER PRIMARY KEY,
                sha256       BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
                content_type TEXT NOT NULL CHECK (length(CAST(content_type AS BLOB)) BETWEEN 1 AND 100),
                size         INTEGER NOT NULL CHECK (size > 0),
                crc32        INTEGER NOT NULL CHECK (crc32 BETWEEN 0 AND 4294967295),
                used         INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE bytes (
                id   INTEGER PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
                data BLOB NOT NULL
            ) STRICT;

            -- Several URLs may have the same content; each has its own time.
            CREATE TABLE url (
                url           TEXT PRIMARY KEY NOT NULL CHECK (length(CAST(url AS BLOB)) BETWEEN 1 AND 2048),
                content       INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
                stored_at     INTEGER NOT NULL,
                etag          TEXT,
                last_modified TEXT
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX content_by_use ON content (used);
            CREATE INDEX url_by_content ON url (content);
            CREATE INDEX url_by_age ON url (stored_at);

            -- One row: the total size, so that no query has to add it up.
            CREATE TABLE weight (total INTEGER NOT NULL) STRICT;
            INSERT INTO weight VALUES (0);
            CREATE TRIGGER content_comes AFTER INSERT ON content
                BEGIN UPDATE weight SET total = total + NEW.size; END;
            CREATE TRIGGER content_goes AFTER DELETE ON content
                BEGIN UPDATE weight SET total = total - OLD.size; END;
            CREATE TRIGGER url_comes AFTER INSERT ON url
                BEGIN UPDATE weight SET total = total + length(CAST(NEW.url AS BLOB)) + \(urlOverhead); END;
            CREATE TRIGGER url_goes AFTER DELETE ON url
                BEGIN UPDATE weight SET total = total - length(CAST(OLD.url AS BLOB)) - \(urlOverhead); END;
            """,
            // Derived from bytes that are here or in the authority's store, and found by their hash.
            "2 variants and facts": """
            CREATE TABLE variant (
                id       INTEGER PRIMARY KEY,
                original BLOB NOT NULL CHECK (length(original) = 32),
                width    INTEGER NOT NULL CHECK (width > 0),
                format   TEXT NOT NULL,
                sha256   BLOB NOT NULL CHECK (length(sha256) = 32),
                size     INTEGER NOT NULL CHECK (size > 0),
                crc32    INTEGER NOT NULL CHECK (crc32 BETWEEN 0 AND 4294967295),
                used     INTEGER NOT NULL,
                UNIQUE (original, width, format)
            ) STRICT;
            CREATE INDEX variant_by_use ON variant (used);

            CREATE TABLE variant_bytes (
                id   INTEGER PRIMARY KEY REFERENCES variant (id) ON DELETE CASCADE,
                data BLOB NOT NULL
            ) STRICT;

            CREATE TABLE facts (
                original    BLOB PRIMARY KEY NOT NULL CHECK (length(original) = 32),
                width       INTEGER NOT NULL CHECK (width > 0),
                height      INTEGER NOT NULL CHECK (height > 0),
                frames      INTEGER NOT NULL CHECK (frames > 0),
                placeholder BLOB CHECK (length(placeholder) <= 40)
            ) STRICT, WITHOUT ROWID;

            CREATE TRIGGER variant_inserted AFTER INSERT ON variant
                BEGIN UPDATE weight SET total = total + NEW.size + \(variantOverhead); END;
            CREATE TRIGGER variant_deleted AFTER DELETE ON variant
                BEGIN UPDATE weight SET total = total - OLD.size - \(variantOverhead); END;
            CREATE TRIGGER content_deleted AFTER DELETE ON content BEGIN
                DELETE FROM variant WHERE original = OLD.sha256;
                DELETE FROM facts WHERE original = OLD.sha256;
            END;
            """,
            // Earlier versions read orientation and colours otherwise. What they made is made again when it is asked for.
            "3 no variants and facts of earlier versions":
                "DELETE FROM variant_bytes; DELETE FROM variant; DELETE FROM facts;",
            "4 the upstream's Age": "ALTER TABLE url ADD COLUMN age INTEGER NOT NULL DEFAULT 0;",
        ])
    }
}
