import GRDB

/// The tables of an edge's cache. Everything lies on one axis of positions, the newest highest, and a run is a stretch of
/// it: a page is a range of a key, whichever it is, and joining two runs writes one row. Steps are never changed once
/// released, only added to.
enum FeedCacheSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 runs, items, places and answers") { db in
            try db.execute(
                sql: """
                    CREATE TABLE run (
                        id       INTEGER PRIMARY KEY,
                        low      INTEGER NOT NULL,
                        high     INTEGER NOT NULL CHECK (low <= high),
                        -- When its newest page was fetched, in seconds since 1970.
                        saved_at REAL NOT NULL,
                        -- Whether the feed is known to end where the run does.
                        complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
                        -- Where the feed begins; of the head run only.
                        start    INTEGER
                    ) STRICT;
                    CREATE INDEX run_low ON run (low);
                    CREATE INDEX run_high ON run (high);

                    CREATE TABLE item (
                        position    INTEGER PRIMARY KEY,
                        id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        description TEXT CHECK (length(description) BETWEEN 1 AND 10000),
                        location    TEXT CHECK (length(location) BETWEEN 1 AND 1000),
                        image       TEXT NOT NULL CHECK (length(CAST(image AS BLOB)) BETWEEN 1 AND 2048)
                    ) STRICT;

                    -- Where a reader may stand without there being an item.
                    CREATE TABLE place (
                        position INTEGER PRIMARY KEY,
                        id       BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        -- 0: the item has left the feed. 1: it was never seen, only used as a cursor; a run ends there.
                        edge     INTEGER NOT NULL CHECK (edge IN (0, 1))
                    ) STRICT;

                    -- The latest answers of the upstream, for asking whether they have changed.
                    CREATE TABLE answer (
                        number        INTEGER PRIMARY KEY AUTOINCREMENT,
                        cursor        BLOB NOT NULL,
                        downward      INTEGER NOT NULL,
                        size          INTEGER NOT NULL,
                        etag          TEXT,
                        last_modified TEXT,
                        continuation  TEXT NOT NULL,
                        ids           BLOB NOT NULL,
                        fingerprint   INTEGER NOT NULL,
                        UNIQUE (cursor, downward, size)
                    ) STRICT;
                    """)
        }
        return migrator
    }
}
