import ServiceKit
import Testing

@Suite struct DatabaseURLTests {
    @Test(arguments: [
        "/srv/feed.sqlite", "feed.sqlite", "", "../a:b@c", "postgres:feed", "/srv/host=a", "postgres/feed",
    ])
    func `a path is no database`(text: String) throws {
        #expect(try DatabaseURL(text) == nil)
        let options = try StoreOptions.parse(["--store", text])
        #expect(options.path == text && options.database == nil)
    }

    @Test(arguments: [
        "postgres://db.example/feed", "postgresql://feed@db.example:5433/feed?sslmode=verify-full",
        "postgres:///feed?host=/var/run/postgresql",
        "postgres://a.example,b.example/feed?target_session_attrs=read-write",
        "postgres://feed@/feed?passfile=/etc/image-feed/pgpass", "postgres://[::1]:5432/feed",
    ])
    func `an address without a password is used as it is`(text: String) throws {
        #expect(try DatabaseURL(text)?.text == text)
        let options = try StoreOptions.parse(["--store", text])
        #expect(options.database?.text == text && options.path == nil)
    }

    @Test(arguments: [
        "postgres://feed:hunter2@db.example/feed", "postgresql://:hunter2@/feed",
        "postgres://feed:hunt?er2@db.example/feed",
        "postgres://db.example/feed?password=hunter2", "postgres://db.example/feed?sslmode=require&pass%77ord=hunter2",
        "postgres://db.example/feed?sslpassword=hunter2", "postgres://db.example/feed?oauth_client_secret=hunter2",
        "postgres://feed:hunter2@", "postgres://feed:@db.example/feed",
    ])
    func `a password is refused, and not repeated`(text: String) {
        #expect(throws: DatabaseURL.Refusal.password) { try DatabaseURL(text) }
        let message = StoreOptions.complaint(["--store", text])
        #expect(message.contains("must not have a password") && message.contains("pgpass"))
        #expect(!message.contains("hunt"))
    }

    @Test(arguments: [
        ("mysql://db.example/feed", DatabaseURL.Refusal.scheme), ("Postgres://db.example/feed", .scheme),
        // Each would otherwise be the path of a new file.
        ("postgres:/feed@db.example/feed", .scheme), ("postgresql:/db.example/feed", .scheme),
        ("host=db.example dbname=feed", .scheme), ("user=feed dbname=feed", .scheme), ("host=db.example", .scheme),
        ("postgres://feed:hunt/er2@db.example/feed", .malformed), ("postgres://db.example/fe ed", .malformed),
        ("postgres://db.example/feed?pass%zz=hunter2", .malformed),
        // libpq reads the bytes, in which the mark is no part of the colon.
        ("postgres://feed:\u{301}hunter2@db.example/feed", .malformed),
    ])
    func `other addresses are refused`(text: String, refusal: DatabaseURL.Refusal) {
        #expect(throws: refusal) { try DatabaseURL(text) }
        #expect(!StoreOptions.complaint(["--store", text]).contains("hunt"))
    }

    @Test func `a new store is a file`() {
        #expect(
            StoreOptions.complaint(["--store", "postgres://db.example/feed", "--new-store"]).contains(
                "--new-store needs a file"))
    }

    @Test func `a cache is a file, and so is what is backed up`() throws {
        let options = try StoreOptions.parse(["--store", "postgres://db.example/feed"])
        let (none, backup) = (try MaintenanceOptions.parse([]), try MaintenanceOptions.parse(["--backup", "x"]))
        try options.check(isCache: false, none)
        #expect(throws: (any Error).self) { try options.check(isCache: true, none) }
        #expect(throws: (any Error).self) { try options.check(isCache: false, backup) }
        try StoreOptions.parse(["--store", "/srv/x"]).check(isCache: true, backup)
    }
}

extension StoreOptions {
    /// What the parser says of words that it refuses.
    fileprivate static func complaint(_ words: [String]) -> String {
        do {
            _ = try parse(words)
            return ""
        } catch {
            return fullMessage(for: error)
        }
    }
}
