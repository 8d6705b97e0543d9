import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

/// Services whose store is in a PostgreSQL database.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresProcessTests {
    private func item(_ number: Int) -> FeedItem {
        FeedItem(id: UUID(number: number), image: "urn:x:\(number)", publishedAt: Date(timeIntervalSince1970: 0))
    }

    private func publish(_ number: Int, with service: RunningService) async throws {
        _ = try await service.client.call(FeedContract.publish, PublishedItems(items: [item(number)]))
    }

    @Test func `a watcher gets each change once, whichever service it asks`() async throws {
        let arguments = ["--store", try PostgresServer.shared.get().newDatabase()]
        try await RunningService.with("feed", arguments: arguments) { first in
            try await RunningService.with("feed", arguments: arguments) { second in
                var mark = ""
                try await second.client.withStream(FeedContract.watch, WatchFeed(since: mark)) { items in
                    var items = items
                    #expect(try await items.next()?.change == .reset)
                    for number in 1...3 {
                        // The watched service is told by the database.
                        try await publish(number, with: first)
                        let event = try #require(try await items.next())
                        #expect(event.change == .published([item(number)]))
                        mark = event.seq
                    }
                }
                try await publish(4, with: second)
                try await first.client.withStream(FeedContract.watch, WatchFeed(since: mark)) { items in
                    var items = items
                    #expect(try await items.next()?.change == .published([item(4)]))
                    try await publish(5, with: second)
                    #expect(try await items.next()?.change == .published([item(5)]))
                }
                let page = try await first.client.call(FeedContract.load, LoadFeed(limit: 10))
                #expect(page.items.map(\.id.number) == [5, 4, 3, 2, 1])
            }
        }
    }

    @Test func `a service starts without its database, and works when that is there`() async throws {
        let server = try PostgresServer()
        let url = try server.newDatabase()
        try server.stop()
        try await RunningService.with("feed", arguments: ["--store", url]) { service in
            let error = await #expect(throws: RPCError.self) { try await publish(1, with: service) }
            #expect(error?.kind == .unavailable && error?.message.contains(url) == false)
            let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
            #expect(health.status == .degraded && health.checks.first?.detail?.contains(url) == true)
            #expect(health.isWithoutStore)
            try server.start()
            try await eventually {
                try await service.client.call(ProtocolMethods.health, ServiceSelection()).status == .serving
            }
            try await publish(1, with: service)
        }
    }

    @Test func `a strict service exits without its database`() async throws {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("feed-service").run([
                "--root", root, "--store", "postgres:///feed?host=\(root)", "--strict-store",
            ])
            #expect(outcome.status != 0 && outcome.errors.contains("cannot use the database postgres:///feed"))
        }
    }

    @Test func `the settings name the database, without a password`() async throws {
        try await withTemporaryDirectory { root in
            let file = URL(filePath: root + "/config.json")
            try Data(#"{"services": {"store": "postgres://feed:hunter2@db.example/feed"}}"#.utf8).write(to: file)
            let outcome = try await Program("feed-service").run(["--root", root])
            #expect(
                outcome.status == 78 && outcome.errors.contains("config.json:1: services.store: "), "\(outcome.errors)")
            #expect(outcome.errors.contains("pgpass") && !outcome.errors.contains("hunter2"))
            let url = try PostgresServer.shared.get().newDatabase()
            try Data(#"{"services": {"store": "\#(url)"}}"#.utf8).write(to: file)
            try await RunningService.with("feed", root: root) { try await publish(1, with: $0) }
            #expect(try PostgresServer.shared.get().execute("SELECT items FROM feed.total", in: url) == "1")
        }
    }

    @Test func `a release that cannot use the database is refused before it starts`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        try await RunningService.with("feed", arguments: ["--store", url]) { _ in }
        try await withTemporaryDirectory { root in
            let arguments = ["--root", root, "--store", url, "--check"]
            #expect(try await Program("feed-service").run(arguments).status == 0)
            try server.execute("INSERT INTO feed.migration VALUES (9, '9 of tomorrow')", in: url)
            let refused = try await Program("feed-service").run(arguments)
            #expect(
                refused.status != 0 && refused.errors.contains("a newer version of this program"), "\(refused.errors)")
        }
    }

    @Test func `an edge keeps its cache in a file`() async throws {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("feed-service").run([
                "--root", root, "--store", "postgres://db.example/feed", "--upstream", "http://127.0.0.1:1",
            ])
            #expect(outcome.status == 64 && outcome.errors.contains("this store is a file"))
        }
    }
}
