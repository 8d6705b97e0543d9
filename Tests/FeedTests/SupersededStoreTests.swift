import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Testing

@testable import feed_service

/// `--check` before an older release replaces the programs.
struct SupersededStoreTests {
    @Test func `--check refuses a store that a newer version has changed, and an edge does not need it`() async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/data", withIntermediateDirectories: false)
            let path = root + "/data/feed.sqlite"
            let pool = try SQLiteFeedStore.opening.open(path)
            let check = ["--check", "--root", root]
            #expect(try await Program("feed-service").run(check).status == 0)
            try await pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of a later version')") }
            // Also while another process uses it.
            for _ in 0..<2 {
                let outcome = try await Program("feed-service").run(check)
                #expect(outcome.status == 70 && outcome.errors.contains(path) && outcome.errors.contains("newer"))
                try pool.close()
            }
            #expect(try await Program("feed-service").run(check + ["--upstream", "http://127.0.0.1:1"]).status == 0)
        }
    }
}
