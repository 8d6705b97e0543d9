import PostgresKit

/// The tables of the comments in PostgreSQL.
enum CommentsTables {
    static let schema = PostgresSchema(
        "comments",
        steps: [
            "1 comments and tombstones": """
            CREATE TABLE comment (
                -- Numbered by writers in the order in which they lock the head row of the changes. So comments of the same second
                -- are in the order of the commits, and positions of removed ones are not used again.
                position   bigint PRIMARY KEY,
                id         uuid NOT NULL UNIQUE,
                image_id   uuid NOT NULL,
                -- In seconds since 1970.
                created_at bigint NOT NULL,
                username   text NOT NULL CHECK (octet_length(username) BETWEEN 1 AND 4 * 64),
                message    text NOT NULL CHECK (octet_length(message) BETWEEN 1 AND 4 * 2000)
            );

            CREATE INDEX comment_by_image ON comment (image_id, created_at, position);

            -- Removed comments remain valid cursors.
            CREATE TABLE tombstone (
                image_id   uuid NOT NULL,
                id         uuid NOT NULL,
                created_at bigint NOT NULL,
                position   bigint NOT NULL,
                PRIMARY KEY (image_id, id)
            );

            -- Every page of the feed asks for the numbers of its images.
            CREATE TABLE total (
                image_id uuid PRIMARY KEY,
                comments bigint NOT NULL
            );

            -- One row: the highest position that was used, and the time that the last comment without one got.
            CREATE TABLE last_post (
                position   bigint NOT NULL,
                created_at bigint,
                single     boolean PRIMARY KEY DEFAULT true CHECK (single)
            );
            INSERT INTO last_post VALUES (0, NULL);
            """
        ])
}
