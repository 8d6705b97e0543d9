import GRDB
import SQLiteKit

/// The tables of an edge's cache.
enum CommentsCacheSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // Counts and bytes are stored per answer and written together with its comments, so that counting and
            // eviction need not read the comments.
            "1 last good answers": """
            CREATE TABLE answer (
                image_id      BLOB PRIMARY KEY CHECK (length(image_id) = 16),
                -- Higher than those of all answers that were kept or renewed earlier.
                turn          INTEGER NOT NULL,
                saved_at      INTEGER NOT NULL,
                etag          TEXT,
                last_modified TEXT,
                comments      INTEGER NOT NULL,
                bytes         INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX answer_by_turn ON answer (turn, bytes);

            -- A removed comment remains a valid cursor.
            CREATE TABLE comment (
                image_id   BLOB NOT NULL REFERENCES answer ON DELETE CASCADE,
                position   INTEGER NOT NULL,
                id         BLOB NOT NULL CHECK (length(id) = 16),
                gone_since INTEGER,
                created_at INTEGER,
                username   TEXT,
                message    TEXT,
                PRIMARY KEY (image_id, position),
                UNIQUE (image_id, id),
                CHECK ((gone_since IS NULL) =
                    (created_at IS NOT NULL AND username IS NOT NULL AND message IS NOT NULL))
            ) STRICT, WITHOUT ROWID;
            """,
            "2 bytes with the places of removed comments": """
            UPDATE answer SET bytes = bytes + 100 * (
                SELECT count(*) FROM comment
                WHERE comment.image_id = answer.image_id AND gone_since IS NOT NULL)
            """,
            "3 changes": ChangeTable.schema,
            "4 removals": """
            -- Events of removed comments do not name their images.
            CREATE INDEX comment_by_id ON comment (id) WHERE gone_since IS NULL;
            """,
        ])
    }
}
