import Feed
import GRDB
import SQLiteKit

/// The tables of an edge's cache. Each item has its successor, because an upstream's answers say which item follows
/// which. A run is a chain of successors.
enum FeedCacheSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // Version 1 placed all runs on one axis of positions. Its content is discarded, because it can be fetched
            // again.
            "1 runs, items, places and answers": "",
            "2 items and their links": """
            DROP TABLE IF EXISTS run;
            DROP TABLE IF EXISTS item;
            DROP TABLE IF EXISTS place;
            DROP TABLE IF EXISTS answer;

            CREATE TABLE node (
                -- Number 0 is the beginning of the feed and precedes the first item.
                number      INTEGER PRIMARY KEY,
                id          BLOB UNIQUE CHECK (length(id) = 16),
                -- 0: only used as a cursor, never seen. 1: an item. 2: an item that was removed.
                state       INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
                -- When the upstream last showed or denied it, in seconds since 1970.
                saved_at    REAL NOT NULL,
                -- The nodes that stand beside this one; NULL: not known.
                next        INTEGER,
                prev        INTEGER,
                -- When the upstream said that nothing follows; NULL: it did not.
                ended_at    REAL,
                description TEXT,
                location    TEXT,
                image       TEXT,
                CHECK ((state = 1) = (image IS NOT NULL)),
                CHECK (next IS NULL OR ended_at IS NULL)
            ) STRICT;
            CREATE INDEX node_by_age ON node (saved_at);

            -- One row: the size of the items in bytes, as it counts against the budget.
            CREATE TABLE weight (total INTEGER NOT NULL) STRICT;
            INSERT INTO weight VALUES (0);
            CREATE TRIGGER node_inserted AFTER INSERT ON node
                BEGIN UPDATE weight SET total = total + \(weight(of: "NEW")); END;
            CREATE TRIGGER node_deleted AFTER DELETE ON node
                BEGIN UPDATE weight SET total = total - \(weight(of: "OLD")); END;
            CREATE TRIGGER node_changed AFTER UPDATE OF description, location, image ON node
                BEGIN UPDATE weight SET total = total + \(weight(of: "NEW")) - \(weight(of: "OLD")); END;

            INSERT INTO node (number, state, saved_at) VALUES (\(CacheNode.beginning), 0, 0);

            -- The upstream's latest answers, for conditional requests.
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
            """,
            "3 hints": """
            ALTER TABLE node ADD COLUMN width INTEGER;
            ALTER TABLE node ADD COLUMN height INTEGER;
            ALTER TABLE node ADD COLUMN placeholder BLOB;
            -- An upstream that has hints already would answer 304, and they would stay unknown.
            DELETE FROM answer;
            """,
            "4 dates": """
            -- In seconds since 1970; NULL: the upstream has sent none.
            ALTER TABLE node ADD COLUMN published_at INTEGER;
            -- As for the hints.
            DELETE FROM answer;
            """,
            "5 tags": """
            -- A JSON array of texts; NULL: the item has none.
            ALTER TABLE node ADD COLUMN tags TEXT;
            -- Tags count against the budget.
            \(weighing(textsAndTags))
            -- As for the hints.
            DELETE FROM answer;
            """,
            "6 details": """
            -- A JSON object: alt, credit, license, source, sensitive; NULL: the item has none of them.
            ALTER TABLE node ADD COLUMN details TEXT;
            -- Details count against the budget.
            \(weighing(allTexts))
            -- As for the hints.
            DELETE FROM answer;
            """,
            "7 successors": """
            -- Removed items leave the chains. Each keeps the node that follows its place.
            UPDATE node SET (next, ended_at) = (
                WITH RECURSIVE ahead (number, state, next, ended_at) AS (
                    SELECT number, state, next, ended_at FROM node AS other WHERE other.number = node.next
                    UNION SELECT other.number, other.state, other.next, other.ended_at FROM ahead
                        JOIN node AS other ON other.number = ahead.next WHERE ahead.state = 2)
                SELECT iif(state = 2, NULL, number), iif(state = 2, ended_at, NULL) FROM ahead
                WHERE state <> 2 OR next IS NULL)
            WHERE state <> 2 AND next IN (SELECT number FROM node WHERE state = 2);
            ALTER TABLE node DROP COLUMN prev;
            -- At most one node precedes each, except for removed ones.
            CREATE UNIQUE INDEX node_by_next ON node (next) WHERE state <> 2;
            CREATE INDEX removed_by_next ON node (next) WHERE state = 2;
            """,
            "8 changes": ChangeTable.schema,
            "9 gaps": """
            -- The node that this one came after, before what was between them moved away; NULL: not known.
            ALTER TABLE node ADD COLUMN former INTEGER;
            CREATE INDEX node_by_former ON node (former) WHERE former IS NOT NULL;
            """,
        ])
    }

    private static let texts = ["description", "location", "image"]
    private static let textsAndTags = texts + ["tags"]
    private static let allTexts = textsAndTags + ["details"]

    /// Counts these columns from now on.
    private static func weighing(_ columns: [String]) -> String {
        """
        DROP TRIGGER node_inserted;
        DROP TRIGGER node_deleted;
        DROP TRIGGER node_changed;
        CREATE TRIGGER node_inserted AFTER INSERT ON node
            BEGIN UPDATE weight SET total = total + \(weight(of: "NEW", columns)); END;
        CREATE TRIGGER node_deleted AFTER DELETE ON node
            BEGIN UPDATE weight SET total = total - \(weight(of: "OLD", columns)); END;
        CREATE TRIGGER node_changed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON node
            BEGIN
                UPDATE weight SET total = total + \(weight(of: "NEW", columns)) - \(weight(of: "OLD", columns));
            END;
        """
    }

    private static func weight(of row: String, _ columns: [String] = texts) -> String {
        let texts = columns.map { "coalesce(length(CAST(\(row).\($0) AS BLOB)), 0)" }
        return "(\(FeedCachePolicy.overhead) + \(texts.joined(separator: " + ")))"
    }
}
