import PostgresKit

/// The tables of the feed in PostgreSQL.
enum FeedTables {
    static let schema = PostgresSchema(
        "feed",
        steps: [
            "1 items and tombstones": """
            CREATE TABLE item (
                -- Numbered by writers in the order in which they lock the head row of the changes. So positions follow the order of
                -- the commits, and those of removed items are not used again.
                position     bigint PRIMARY KEY,
                id           uuid NOT NULL UNIQUE,
                description  text CHECK (char_length(description) BETWEEN 1 AND 10000),
                location     text CHECK (char_length(location) BETWEEN 1 AND 1000),
                image        text NOT NULL CHECK (octet_length(image) BETWEEN 1 AND 2048),
                width        bigint,
                height       bigint,
                placeholder  bytea CHECK (octet_length(placeholder) <= 40),
                -- In seconds since 1970.
                published_at bigint,
                -- A JSON array of texts; NULL for an item without tags.
                tags         text,
                -- A JSON object: alt, credit, license, source, sensitive; NULL for an item without any of them.
                details      text
            );

            -- Removed items remain valid cursors.
            CREATE TABLE tombstone (
                id       uuid PRIMARY KEY,
                position bigint NOT NULL
            );

            -- One row. To count the items would read them all.
            CREATE TABLE total (
                items    bigint NOT NULL,
                -- The highest position that was used.
                position bigint NOT NULL,
                single   boolean PRIMARY KEY DEFAULT true CHECK (single)
            );
            INSERT INTO total VALUES (0, 0);
            """
        ])
}
