import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@Suite struct FullDiskTests {
    /// Needs root, to mount a small disk.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `on a full disk writes fail and data stays, and writes work again when there is space`() async throws {
        try await withTemporaryDirectory { root in
            try await Tmpfs.with(at: root + "/disk", megabytes: 2) { disk in
                let filler = disk + "/filler"
                try Data(count: 1_000_000).write(to: URL(fileURLWithPath: filler))
                try await RunningService.with("feed", root: root, arguments: ["--store", disk + "/feed.sqlite"]) {
                    service in
                    let client = service.client
                    var acknowledged: [UUID] = []
                    let failure = await #expect(throws: RPCError.self) {
                        while true { acknowledged.append(try await publish(client)) }
                    }
                    #expect(failure?.kind == .unavailable)
                    #expect(failure?.message.contains("disk is full") == true)
                    #expect(failure?.message.contains(disk) == false)
                    #expect(failure?.details?.description == #"{"store":"full"}"#)
                    let loss = await service.logLines(with: "\(disk)/feed.sqlite is full")
                    #expect(loss.count { $0.contains(disk) } == 1, "\(loss)")

                    #expect(try await client.call(ProtocolMethods.health, ServiceSelection()).status == .degraded)
                    #expect(try await ids(client) == acknowledged.reversed())

                    try FileManager.default.removeItem(atPath: filler)
                    // Without a call that writes.
                    _ = await service.logLines(with: "works again")
                    #expect(try await client.call(ProtocolMethods.health, ServiceSelection()).status == .serving)
                    acknowledged.append(try await publish(client))
                    #expect(try await ids(client) == acknowledged.reversed())
                    #expect(try await client.call(FeedContract.validate, Empty()).outcome == .kept)
                    // One line for the full disk and one for the recovery, however many calls failed. In addition, each failed
                    // call has one line.
                    let lines = service.log.split(separator: "\n")
                    #expect(lines.count { $0.contains(disk) } == 2, "\(lines)")
                    #expect(lines.count { $0.contains("feed.publish failed") } == 1, "\(lines)")
                }
            }
        }
    }

    /// Needs root, to mount a small disk.
    @Test(.enabled(if: geteuid() == 0, "needs root"), arguments: [true, false])
    func `a service that starts on a full disk answers, and names the disk`(hasStore: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try await Tmpfs.with(at: directory + "/disk", megabytes: 1) { root in
                if hasStore { try await RunningService.with("feed", root: root) { _ in } }
                let filler = try Program(path: "/bin/sh").start(
                    ["-c", "cat /dev/zero > '\(root)/filler'"], errors: nil)
                try await eventually { filler.status != nil }
                try await RunningService.with("feed", root: root) { service in
                    let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
                    #expect(health.isWithoutStore)
                    #expect(health.checks.first?.detail?.contains("the disk is full; free some space") == true)
                }
            }
        }
    }

    /// Needs root, to mount a small disk.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `on a full disk the settings stay as they are`() async throws {
        try await withTemporaryDirectory { directory in
            try await Tmpfs.with(at: directory + "/full", megabytes: 1) { root in
                let file = root + "/config.json"
                try Data("{}".utf8).write(to: URL(filePath: file))
                let filler = try Program(path: "/bin/sh").start(
                    ["-c", "cat /dev/zero > '\(root)/filler'"], errors: nil)
                try await eventually { filler.status != nil }
                let outcome = try await Program("gateway").run([
                    "config", "set", "gateway.http", "off", "--root", root,
                ])
                #expect(outcome.status == 73 && outcome.errors.contains("no space left"), "\(outcome.errors)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "{}")
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: root).sorted() == ["config.json", "filler"])
            }
        }
    }

    private func publish(_ client: RPCClient) async throws -> UUID {
        let item = FeedItem(
            id: UUID(), description: String(repeating: "d", count: 10_000), image: "https://example.org/a.jpg")
        _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
        return item.id
    }

    private func ids(_ client: RPCClient) async throws -> [UUID] {
        var ids: [UUID] = []
        var after: UUID?
        repeat {
            let page = try await client.call(FeedContract.load, LoadFeed(limit: 100, afterID: after))
            ids += page.items.map(\.id)
            after = page.nextAfterID
        } while after != nil
        return ids
    }
}
