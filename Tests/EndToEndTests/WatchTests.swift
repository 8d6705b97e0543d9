import FeedContract
import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

/// `gateway watch` and streams on the command line, against the real four programs.
struct WatchTests {
    /// Runs `body` while a command of the gateway runs. `errors` has both its standard output and its standard error.
    private func whileRunning(
        _ command: String, _ deployment: Deployment, _ body: (RunningProgram) async throws -> Void
    ) async throws {
        let program = try Program(path: "/bin/sh").start(
            ["-c", "exec '\(Program("gateway").path)' \(command) 1>&2"],
            environment: ["ROOT": deployment.root, "LC_ALL": "C.UTF-8"], errors: nil)
        defer { program.send(SIGKILL) }
        try await body(program)
    }

    private func withFeed(_ deployment: Deployment, _ body: (RPCClient) async throws -> Void) async throws {
        let socket = try SocketPath(deployment.root + "/run/feed.sock")
        try await RPCClient.withConnection(to: socket, as: "watch-test") { try await body($0) }
    }

    private func publish(_ item: FeedItem, with client: RPCClient) async throws {
        _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
    }

    /// The JSON documents in the output of a command.
    private func events(_ program: RunningProgram) throws -> [FeedEvent] {
        try program.errors.text.split(separator: "\n").filter { $0.hasPrefix("{\"seq\"") }
            .map { try RawJSON(checking: String($0)).read(as: FeedEvent.codec) }
    }

    @Test func `a watch through the gateway shows published and removed images until Ctrl-C`() async throws {
        try await Deployment.with { deployment in
            let id = UUID()
            try await whileRunning("watch --json", deployment) { watch in
                #expect(await watch.errors.wait(for: "\"reset\":true}\n"))
                let published = try await deployment.gateway("publish", "urn:x:y", "--id", id.uuidString)
                #expect(published.status == 0)
                _ = try await deployment.gateway("publish", "urn:x:y", "--id", id.uuidString)
                _ = try await deployment.gateway("remove", id.uuidString)
                #expect(await watch.errors.wait(for: "\"removed\":[\"\(id.uuidString)\"]}\n"))
                watch.send(SIGINT)
                #expect(await watch.ended() == 130)
                let events = try events(watch)
                #expect(
                    events.map(\.change.dateless) == [
                        .reset, .published([FeedItem(id: id, image: "urn:x:y")]), .removed([id]),
                    ])

                // Another process resumes at the position of the first one.
                try await whileRunning("watch --json --since '\(events[1].seq)'", deployment) { later in
                    #expect(await later.errors.wait(for: "\"removed\":[\"\(id.uuidString)\"]}\n"))
                    let rest = try self.events(later)
                    #expect(rest == [events[2]])
                }
            }
        }
    }

    @Test func `without --json a watch prints a line for each image, also after a restart`() async throws {
        try await Deployment.with { deployment in
            let (first, second) = (UUID(), UUID())
            try await whileRunning("watch", deployment) { watch in
                #expect(await watch.errors.wait(for: "Watching the feed. Press Ctrl-C to stop.\n"))
                try await withFeed(deployment) { client in
                    try await publish(
                        FeedItem(id: first, description: "A tower\u{9B}", location: "Porto", image: "urn:x:y"),
                        with: client)
                }
                #expect(await watch.errors.wait(for: "new      \(first)  A tower\\u{9B} – Porto\n"))

                let feed = try deployment.program("feed")
                feed.send(SIGKILL)
                #expect(await feed.ended() == 128 + SIGKILL)
                try await deployment.restarting("feed") {
                    #expect(await watch.errors.wait(for: "gateway: "))
                    try await withFeed(deployment) { client in
                        try await publish(FeedItem(id: second, image: "urn:x:y"), with: client)
                        _ = try await client.call(FeedContract.remove, RemovedItems(ids: [first, second]))
                    }
                    #expect(await watch.errors.wait(for: "removed  \(first)\n"))
                    let lines = watch.errors.text.split(separator: "\n").map { $0.prefix { $0 != " " } }
                    #expect(lines == ["Watching", "new", "gateway:", "new", "removed", "removed"])
                }
            }
        }
    }

    @Test func `a watch whose gateway is killed again and again loses nothing and shows nothing twice`() async throws {
        try await Deployment.with { deployment in
            let items = (0..<300).map { FeedItem(id: UUID(), image: "urn:x:\($0)") }
            try await whileRunning("watch --json", deployment) { watch in
                #expect(await watch.errors.wait(for: "\"reset\":true}\n"))
                try await withFeed(deployment) { client in
                    func publish(_ range: Range<Int>) async throws {
                        for item in items[range] { try await self.publish(item, with: client) }
                    }
                    let gateway = try deployment.program("gateway")
                    try await publish(0..<50)
                    gateway.send(SIGKILL)
                    try await publish(50..<100)
                    #expect(await gateway.ended() == 128 + SIGKILL)
                    try await deployment.restarting("gateway") {
                        #expect(await watch.errors.wait(for: "\"image\":\"urn:x:99\""))
                        // Events arrive while the gateway is killed at the end of this block.
                        try await publish(100..<200)
                    }
                    try await publish(200..<250)
                    try await deployment.restarting("gateway") {
                        try await publish(250..<300)
                        #expect(await watch.errors.wait { $0.contains(/"urn:x:299","published_at":"[^"]+"\}\]\}\n/) })
                    }
                }
                let events = try events(watch)
                #expect(events.map(\.change.dateless) == [.reset] + items.map { .published([$0]) })
                #expect(Set(events.map(\.seq)).count == events.count)
            }
        }
    }

    @Test func `a watch that gets no answer at the start fails as every other command`() async throws {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("gateway").run(["watch", "--root", root])
            #expect(outcome.status == 69 && outcome.errors.contains("deploy/up"))
        }
        try await Deployment.with { deployment in
            try await deployment.program("feed").stop()
            let outcome = try await deployment.gateway("watch", "--timeout", "20")
            #expect(outcome.status == 69 && outcome.errors.contains("feed"))
        }
    }

    @Test func `a watch ends silently when its reader closes the pipe`() async throws {
        try await Deployment.with { deployment in
            let gateway = Program("gateway").path
            let watch = try Program(path: "/bin/sh").start(
                ["-c", "{ '\(gateway)' watch --json; echo \"exit $?\" >&2; } | head -n 1 >/dev/null"],
                environment: ["ROOT": deployment.root], errors: nil)
            defer { watch.send(SIGKILL) }
            try await withFeed(deployment) { client in
                while watch.status == nil { try await publish(FeedItem(id: UUID(), image: "urn:x:y"), with: client) }
            }
            #expect(await watch.errors.wait(for: "\n"))
            #expect(watch.errors.text == "exit 141\n")
        }
    }

    @Test func `call prints the items of a stream, one document per line, until its time limit`() async throws {
        try await Deployment.with { deployment in
            // The limit includes the start of the command, so a slow machine needs a longer one.
            var (timed, seconds) = (try await deployment.gateway("call", "feed.watch", "since=", "--timeout", "1"), 1)
            while timed.output.isEmpty {
                seconds *= 4
                timed = try await deployment.gateway("call", "feed.watch", "since=", "--timeout", "\(seconds)")
            }
            #expect(timed.status == 0)
            #expect(timed.output.contains(/^\{"seq":"[^"]+","reset":true\}\n$/))

            try await whileRunning("call feed.watch since=", deployment) { call in
                #expect(await call.errors.wait(for: "\"reset\":true}\n"))
                let id = UUID()
                try await withFeed(deployment) { try await publish(FeedItem(id: id, image: "urn:x:y"), with: $0) }
                #expect(await call.errors.wait { $0.contains(/"urn:x:y","published_at":"[^"]+"\}\]\}\n/) })
                #expect(try events(call).count == 2)
                // Unlike a watch, it ends with its stream.
                let gateway = try deployment.program("gateway")
                gateway.send(SIGTERM)
                #expect(await call.ended() == 69)
            }
        }
    }
}

extension FeedEvent.Change {
    /// The change without the dates, which the service gives.
    fileprivate var dateless: FeedEvent.Change {
        guard case .published(let items) = self else { return self }
        return .published(
            items.map {
                FeedItem(
                    id: $0.id, description: $0.description, location: $0.location, image: $0.image, hints: $0.hints)
            })
    }
}
