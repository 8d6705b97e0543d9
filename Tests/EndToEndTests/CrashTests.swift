import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@Suite struct CrashTests {
    @Test
    func `a service that is killed while it writes restarts with all acknowledged writes`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let socket = try SocketPath(deployment.root + "/run/gateway.sock")
            try await RPCClient.withConnection(to: socket, as: "crash-test") { client in
                let image = UUID()
                #expect(try await write(image, of: "feed", image, client))
                for service in ["feed", "comments"] {
                    var acknowledged: [UUID] = []
                    for _ in 0..<3 {
                        // The kill runs concurrently with the writer, so that it hits during a write.
                        let victim = try await deployment.process(service)
                        try #require(victim > 0)
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            let goal = acknowledged.count + 20
                            let (kills, killing) = AsyncStream.makeStream(of: Void.self)
                            group.addTask {
                                for await _ in kills {}
                                kill(victim, SIGKILL)
                            }
                            // After the kill, calls fail until the service has restarted.
                            while acknowledged.count < goal + 20 {
                                let id = UUID()
                                try await eventually { try await write(id, of: service, image, client) }
                                acknowledged.append(id)
                                if acknowledged.count == goal { killing.finish() }
                            }
                        }
                        // The supervisor has started another process. It reports 0 while there is none.
                        try await eventually { try await ![victim, 0].contains(deployment.process(service)) }
                    }
                    let stored = try await stored(service, image, client)
                    #expect(Set(acknowledged).subtracting(stored).isEmpty)
                }
            }
        }
    }

    /// - Returns: whether the write was acknowledged.
    private func write(_ id: UUID, of service: String, _ image: UUID, _ client: RPCClient) async throws -> Bool {
        do throws(RPCError) {
            if service == "feed" {
                let item = FeedItem(id: id, image: "https://example.org/\(id).jpg")
                _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
            } else {
                _ = try await client.call(
                    CommentsContract.post, PostComment(imageID: image, message: "\(id)", username: "ana", id: id))
            }
            return true
        } catch {
            guard error.kind == .unavailable else { throw error }
            return false
        }
    }

    private func stored(_ service: String, _ image: UUID, _ client: RPCClient) async throws -> Set<UUID> {
        var ids: Set<UUID> = []
        var after: UUID?
        repeat {
            if service == "feed" {
                let page = try await client.call(FeedContract.load, LoadFeed(limit: 100, afterID: after))
                ids.formUnion(page.items.map(\.id))
                after = page.nextAfterID
            } else {
                let page = try await client.call(CommentsContract.list, ListComments(imageID: image, afterID: after))
                ids.formUnion(page.items.map(\.id))
                after = page.nextAfterID
            }
        } while after != nil
        return ids
    }
}
