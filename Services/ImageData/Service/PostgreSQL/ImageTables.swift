import PostgresKit

/// The tables of the images that were put, in PostgreSQL.
enum ImageTables {
    static let schema = PostgresSchema(
        "image_data",
        steps: [
            "1 URLs and contents": """
            CREATE TABLE content (
                id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                sha256       bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
                content_type text NOT NULL CHECK (octet_length(content_type) BETWEEN 1 AND 100),
                size         bigint NOT NULL CHECK (size > 0),
                crc32        bigint NOT NULL CHECK (crc32 BETWEEN 0 AND 4294967295),
                data         bytea NOT NULL CHECK (octet_length(data) = size)
            );
            -- Pictures cannot be compressed.
            ALTER TABLE content ALTER COLUMN data SET STORAGE EXTERNAL;

            -- Several URLs may have the same content; each has its own time.
            CREATE TABLE url (
                -- In the order of the bytes, as in SQLite.
                url       text COLLATE "C" PRIMARY KEY CHECK (octet_length(url) BETWEEN 1 AND 2048),
                content   bigint NOT NULL REFERENCES content (id),
                stored_at bigint NOT NULL
            );

            CREATE INDEX url_by_content ON url (content, stored_at);
            CREATE INDEX url_by_age ON url (stored_at);
            """
        ])
}
