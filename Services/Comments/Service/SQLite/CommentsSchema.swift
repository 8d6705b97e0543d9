import GRDB
import SQLiteKit

/// The tables of the comments.
enum CommentsSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            // AUTOINCREMENT: no position is used twice, not even that of a removed comment. Text lengths are checked in
            // bytes, at most four per scalar, because SQLite's length() stops at U+0000.
            "1 comments and tombstones": """
            CREATE TABLE comment (
                position   INTEGER PRIMARY KEY AUTOINCREMENT,
                id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                image_id   BLOB NOT NULL CHECK (length(image_id) = 16),
                created_at INTEGER NOT NULL,
                username   TEXT NOT NULL CHECK (length(CAST(username AS BLOB)) BETWEEN 1 AND 4 * 64),
                message    TEXT NOT NULL CHECK (length(CAST(message AS BLOB)) BETWEEN 1 AND 4 * 2000)
            ) STRICT;

            -- Like every index it ends with the position: pages and counts are ranges of it.
            CREATE INDEX comment_by_image ON comment (image_id);

            -- Removed comments remain valid cursors.
            CREATE TABLE tombstone (
                image_id BLOB NOT NULL CHECK (length(image_id) = 16),
                id       BLOB NOT NULL CHECK (length(id) = 16),
                position INTEGER NOT NULL,
                PRIMARY KEY (image_id, id)
            ) STRICT, WITHOUT ROWID;
            """,
            // The time of a removed comment is unknown. It gets the latest time of the comments before it, which its
            // readers have seen; without any, it is before all comments.
            "2 the order of time": """
            CREATE TABLE timed_tombstone (
                image_id   BLOB NOT NULL CHECK (length(image_id) = 16),
                id         BLOB NOT NULL CHECK (length(id) = 16),
                created_at INTEGER NOT NULL,
                position   INTEGER NOT NULL,
                PRIMARY KEY (image_id, id)
            ) STRICT, WITHOUT ROWID;

            INSERT INTO timed_tombstone (image_id, id, created_at, position)
                SELECT image_id, id, coalesce(latest, \(Int64.min)), position FROM (
                    SELECT *, max(created_at) OVER (PARTITION BY image_id ORDER BY position) AS latest FROM (
                        SELECT image_id, id, created_at, position FROM comment
                        UNION ALL SELECT image_id, id, NULL, position FROM tombstone))
                WHERE created_at IS NULL;

            DROP TABLE tombstone;
            ALTER TABLE timed_tombstone RENAME TO tombstone;

            DROP INDEX comment_by_image;
            -- Like every index it ends with the position: pages and counts are ranges of it.
            CREATE INDEX comment_by_image ON comment (image_id, created_at);
            """,
            "3 the time of the last post": """
            -- The time that the last comment without one got, in seconds since 1970; no row before the first.
            CREATE TABLE last_post (number INTEGER PRIMARY KEY CHECK (number = 0), time INTEGER NOT NULL) STRICT;
            """,
            "4 changes": ChangeTable.schema,
            "5 the numbers of comments": """
            -- Images with comments: every page of the feed asks for those of its images.
            CREATE TABLE total (
                image_id BLOB PRIMARY KEY CHECK (length(image_id) = 16),
                comments INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO total SELECT image_id, count(*) FROM comment GROUP BY image_id;

            CREATE TRIGGER count_added AFTER INSERT ON comment BEGIN
                INSERT INTO total VALUES (new.image_id, 1)
                    ON CONFLICT (image_id) DO UPDATE SET comments = comments + 1;
            END;
            CREATE TRIGGER count_removed AFTER DELETE ON comment BEGIN
                UPDATE total SET comments = comments - 1 WHERE image_id = old.image_id;
                DELETE FROM total WHERE image_id = old.image_id AND comments = 0;
            END;
            """,
        ])
    }
}
