import GRDB
import SQLiteKit

/// The tables of the index. All of it can be built again from the feed and the comments.
enum IndexSchema {
    static var migrator: DatabaseMigrator {
        DatabaseMigrator(steps: [
            "1 the index": """
            -- Newer images have lower numbers, so that the words below yield the newest images first.
            CREATE TABLE image (
                number         INTEGER PRIMARY KEY,
                id             BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                title          TEXT NOT NULL,
                place          TEXT NOT NULL,
                -- One tag per line.
                tags           TEXT NOT NULL,
                -- The last walk through the feed that has found the image.
                generation     INTEGER NOT NULL,
                -- Whether its comments up to now are indexed. They are unknown while the comments service does not answer.
                knows_comments INTEGER NOT NULL
            ) STRICT;

            CREATE INDEX image_without_comments ON image (number) WHERE knows_comments = 0;

            -- By image, so that the texts are appended while the feed is read.
            CREATE TABLE comment (
                image   INTEGER NOT NULL REFERENCES image,
                id      BLOB NOT NULL CHECK (length(id) = 16),
                author  TEXT NOT NULL,
                message TEXT NOT NULL,
                PRIMARY KEY (image, id)
            ) STRICT, WITHOUT ROWID;

            -- An id can be that of comments of several images, one after another, or on an edge at once.
            CREATE INDEX comment_by_id ON comment (id);

            -- Folded words, separated by spaces; the texts are in the tables above. Authors and keys are for filters only.
            CREATE VIRTUAL TABLE word USING fts5 (
                title, tags, place, comments, authors, keys,
                content = '', columnsize = 0, tokenize = 'ascii'
            );
            -- The bytes of new words in memory before they are written as a segment: larger segments need fewer merges.
            INSERT INTO word (word, rank) VALUES ('hashsize', 4194304);

            -- The words above without the keys, with the number of their images. The empty word counts all images.
            CREATE TABLE vocabulary (
                word   TEXT PRIMARY KEY,
                images INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- Tags, places and authors in each spelling, with the number of their images. Spellings with the same key are equal.
            CREATE TABLE term (
                number INTEGER PRIMARY KEY,
                kind   INTEGER NOT NULL,
                key    TEXT NOT NULL,
                text   TEXT NOT NULL,
                images INTEGER NOT NULL,
                UNIQUE (kind, key, text)
            ) STRICT;

            -- The rest of a term from each of its words on.
            CREATE TABLE term_start (
                kind  INTEGER NOT NULL,
                start TEXT NOT NULL,
                term  INTEGER NOT NULL REFERENCES term,
                PRIMARY KEY (kind, start, term)
            ) STRICT, WITHOUT ROWID;

            -- One row: how far the index follows the feed and the comments.
            CREATE TABLE progress (
                feed_seq         TEXT,
                comments_seq     TEXT,
                generation       INTEGER NOT NULL,
                -- 0: not walking through the feed, 1: walking, 2: removing images that the walk has not found.
                walk             INTEGER NOT NULL,
                walk_after       BLOB,
                walk_number      INTEGER NOT NULL,
                walked           INTEGER NOT NULL,
                walk_total       INTEGER NOT NULL,
                -- Whether the comments of many images are unknown, after a reset.
                comments_behind  INTEGER NOT NULL,
                indexed_at       INTEGER
            ) STRICT;
            INSERT INTO progress VALUES (NULL, NULL, 0, 0, NULL, \(IndexNumbers.first), 0, 0, 0, NULL);
            """,
            // The vocabulary has the words of a sample of the images only.
            "2 the words of a sample": """
            \(emptying)
            -- How many segments are merged at once: fewer copies of the words are written than with 4, the default.
            INSERT INTO word (word, rank) VALUES ('automerge', 8);
            """,
            // The terms are composed, and deleting the words of an image needs the terms that were inserted.
            "3 the last number of a walk": """
            \(emptying)
            -- The number of the walk's last image.
            ALTER TABLE progress ADD COLUMN walk_last INTEGER;
            """,
            // Letters and digits that are written in several ways are folded to one. The vocabulary does not count images any more.
            "4 variants of letters": emptying,
            // Narrow characters with marks are composed.
            "5 narrow characters": emptying,
            "6 the credit": """
            \(emptying)
            ALTER TABLE image ADD COLUMN credit TEXT NOT NULL DEFAULT '';
            DROP TABLE word;
            CREATE VIRTUAL TABLE word USING fts5 (
                title, tags, place, credit, comments, authors, keys,
                content = '', columnsize = 0, tokenize = 'ascii'
            );
            INSERT INTO word (word, rank) VALUES ('hashsize', 4194304);
            INSERT INTO word (word, rank) VALUES ('automerge', 8);
            """,
            "7 unfound images": """
            -- The images that the walk through the feed has not found yet.
            CREATE TABLE unfound (number INTEGER PRIMARY KEY) STRICT;
            INSERT INTO unfound SELECT number FROM image, progress
                WHERE walk <> 0 AND image.generation < progress.generation ORDER BY number;
            ALTER TABLE image DROP COLUMN generation;

            UPDATE progress SET walk_last = coalesce(walk_last, walk_number - 1);
            ALTER TABLE progress DROP COLUMN generation;
            ALTER TABLE progress DROP COLUMN walk_number;
            """,
            "8 frequent terms": "CREATE INDEX term_by_images ON term (kind, images)",
            // The words of texts are folded otherwise: marks and letters of more scripts, flags, joined emoji.
            "9 folding of more scripts": """
            DELETE FROM comment;
            DELETE FROM image;
            DELETE FROM unfound;
            DELETE FROM vocabulary;
            DELETE FROM term_start;
            DELETE FROM term;
            INSERT INTO word (word) VALUES ('delete-all');
            UPDATE progress SET feed_seq = NULL, comments_seq = NULL, walk = 0, walk_after = NULL, walked = 0,
                walk_total = 0, walk_last = \(IndexNumbers.first) - 1, comments_behind = 0, indexed_at = NULL;
            """,
        ])
    }

    /// Empties the index of an earlier version, so that it is built again.
    private static let emptying = """
        DELETE FROM comment;
        DELETE FROM image;
        DELETE FROM vocabulary;
        DELETE FROM term_start;
        DELETE FROM term;
        INSERT INTO word (word) VALUES ('delete-all');
        UPDATE progress SET feed_seq = NULL, comments_seq = NULL, generation = 0, walk = 0, walk_after = NULL,
            walk_number = \(IndexNumbers.first), walked = 0, walk_total = 0, comments_behind = 0, indexed_at = NULL;
        """
}

/// The indexes that the walk which fills an empty index does without: writing them at once takes a fraction of the time. The ids of
/// comments have a random order, and terms get more images all the time.
enum LaterIndexes {
    static func omit(_ db: Database) throws {
        try db.execute(sql: "DROP INDEX IF EXISTS comment_by_id; DROP INDEX IF EXISTS term_by_images")
    }

    static func ensure(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE INDEX IF NOT EXISTS comment_by_id ON comment (id);
                CREATE INDEX IF NOT EXISTS term_by_images ON term (kind, images);
                """)
    }
}

/// The numbers of images.
enum IndexNumbers {
    /// The number of the first image of the first walk. New images get lower numbers.
    static let first: Int64 = 1 << 32

    /// How many numbers a walk leaves for images that the index has missed: more than a feed has.
    static let walkGap: Int64 = 1 << 28
}
