import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing
import Timing

@testable import gateway

/// Concurrent requests for long lists of comments.
@Suite struct RecentCommentsTests {
    private static let page = 100

    /// A service with this many comments of this many bytes for every image, each by a different author. It counts the
    /// lists that are started.
    private final class Service: Sendable {
        let lists = Watched(0)
        let comments: [SentComment]

        init(count: Int, bytes: Int) {
            comments = (0..<count).map { number in
                let id = UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")!
                let message = "\(number)" + String(repeating: "x", count: bytes)
                return SentComment(id: id, message: message, createdAt: noon, author: .init(username: ""))
            }
        }

        /// - Parameter wait: runs before every first page.
        func services(_ wait: @escaping @Sendable (UUID) async -> Void = { _ in }) -> FakeServices {
            var services = FakeServices()
            services.list = { params, _ in
                if params.afterID == nil {
                    self.lists.withLock { $0 += 1 }
                    await wait(params.imageID)
                }
                let start = params.afterID.map { $0.number + 1 } ?? 0
                let page = self.comments[start...].prefix(RecentCommentsTests.page).map { comment in
                    SentComment(
                        id: comment.id, message: comment.message, createdAt: noon,
                        author: .init(username: params.imageID.uuidString))
                }
                let isLast = start + page.count == self.comments.count
                return ListedComments(items: page, nextAfterID: isLast ? nil : page.last?.id, origin: .store)
            }
            return services
        }
    }

    private static func target(_ image: UUID) -> String { "/v1/image/\(image)/comments" }

    @Test(arguments: [[], ["Accept-Encoding: gzip"]])
    func `concurrent requests generate a list once`(fields: [String]) async throws {
        // All answers together are within the budget.
        let (image, clients, service) = (UUID(), 300, Service(count: 500, bytes: 1_000))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await RunningAPI.with(service.services { _ in for await _ in gate {} }) {
            api async throws in
            let peers = try await api.connected(clients)
            for peer in peers { try await peer.request(Self.target(image), fields) }
            await api.gateway.comments.recent.wait(for: image) { $0 == clients }
            open.finish()
            var lengths: Set<Int> = []
            for peer in peers {
                let reply = try #require(await peer.receive())
                #expect(reply.status == 200)
                lengths.insert(reply.body.count)
            }
            #expect(service.lists.withLock { $0 } == 1 && lengths.count == 1)
            await api.budget.wait { $0 == 0 }
        }
    }

    /// More than the kernel buffers for a client that does not read. The storage is at most twice as large.
    private static let longList = (comments: 1_000, bytes: 8_000, storage: 16 * 1_024 * 1_024)

    @Test func `memory holds a list once for many slow clients`() async throws {
        let (image, clients) = (UUID(), 40)
        let service = Service(count: Self.longList.comments, bytes: Self.longList.bytes)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        var limits = HTTPLimits()
        // Enough for one list and the generation of another one.
        limits.answerBytes = 2 * Self.longList.storage
        try await RunningAPI.with(service.services { _ in for await _ in gate {} }, limits: limits) {
            api async throws in
            let peers = try await api.connected(clients)
            for peer in peers {
                try await peer.wire.setReading(false)
                try await peer.request(Self.target(image))
            }
            await api.gateway.comments.recent.wait(for: image) { $0 == clients }
            open.finish()
            for peer in peers {
                try await peer.wire.setReading(true)
                #expect(await peer.receive()?.status == 200)
                #expect(api.budget.heldBytes <= Self.longList.storage)
            }
            #expect(service.lists.withLock { $0 } == 1)
            await api.budget.wait { $0 == 0 }
        }
    }

    @Test func `a regenerated list shares the bytes of an equal one that is still being sent`() async throws {
        let (image, rounds) = (UUID(), 10)
        let service = Service(count: Self.longList.comments, bytes: Self.longList.bytes)
        var limits = HTTPLimits()
        limits.answerBytes = 2 * Self.longList.storage
        try await RunningAPI.with(service.services(), limits: limits) { api async throws in
            let peers = try await api.connected(rounds)
            for (round, peer) in peers.enumerated() {
                api.gateway.comments.recent.forget()
                try await peer.wire.setReading(false)
                try await peer.request(Self.target(image))
                await service.lists.wait { $0 > round }
                await api.gateway.comments.recent.wait(for: image) { $0 == 0 }
            }
            for peer in peers {
                try await peer.wire.setReading(true)
                #expect(await peer.receive()?.status == 200)
            }
            await api.budget.wait { $0 == 0 }
        }
    }

    @Test func `a client that has the list causes one generation and no body`() async throws {
        let (image, clients, service) = (UUID(), 200, Service(count: 1_000, bytes: 1_000))
        let gates = Mutex<[AsyncStream<Void>]>([])
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let wait = { @Sendable (_: UUID) async in
            guard let gate = gates.withLock({ $0.popLast() }) else { return }
            for await _ in gate {}
        }
        try await RunningAPI.with(service.services(wait)) { api async throws in
            let tag = try #require(try await api.exchange(Self.target(image))["ETag"])
            gates.withLock { $0 = [gate] }
            api.gateway.comments.recent.forget()
            let peers = try await api.connected(clients)
            for peer in peers { try await peer.request(Self.target(image), ["If-None-Match: \(tag)"]) }
            await api.gateway.comments.recent.wait(for: image) { $0 == clients }
            open.finish()
            for peer in peers {
                let reply = try #require(await peer.receive())
                #expect(reply.status == 304 && reply["ETag"] == tag && reply.body.isEmpty)
            }
            #expect(service.lists.withLock { $0 } == 2)
        }
    }

    @Test func `lists being generated count against the budget, and excess ones are rejected`() async throws {
        let (clients, service) = (200, Service(count: 300, bytes: 1_000))
        var limits = HTTPLimits()
        limits.answerBytes = 2_000_000
        let most = Mutex(0)
        let budget = Mutex<AnswerBudget?>(nil)
        var services = service.services()
        let list = services.list
        services.list = { params, context in
            // Each page records the size of the held bytes while lists are generated.
            if let held = budget.withLock({ $0?.heldBytes }) { most.withLock { $0 = max($0, held) } }
            return try await list(params, context)
        }
        try await RunningAPI.with(services, limits: limits) { api async throws in
            budget.withLock { $0 = api.budget }
            let peers = try await api.connected(clients)
            // Different images, so that no two requests share a list.
            for peer in peers { try await peer.request(Self.target(UUID())) }
            var statuses: [Int: Int] = [:]
            for peer in peers {
                let reply = try #require(await peer.receive())
                #expect(reply.status == 200 || reply["Retry-After"] == "1")
                statuses[reply.status, default: 0] += 1
            }
            #expect(Set(statuses.keys).isSubset(of: [200, 429]) && statuses.values.reduce(0, +) == clients)
            // Finished answers are counted after generation, so a few may exceed the limit. All lists have 68 MB.
            #expect(most.withLock { $0 } <= 2 * limits.answerBytes)
            await api.budget.wait { $0 == 0 }
            #expect(try await api.exchange(Self.target(UUID())).status == 200)
        }
    }

    @Test(arguments: [(50, 2), (1_000, 1)]) func `a long list is cached for a second, a short one is not`(
        count: Int, lists: Int
    ) async throws {
        let (image, service) = (UUID(), Service(count: count, bytes: 1_000))
        try await RunningAPI.with(service.services()) { api async throws in
            for _ in 1...2 { #expect(try await api.exchange(Self.target(image)).status == 200) }
            #expect(service.lists.withLock { $0 } == lists && api.gateway.comments.recent.count == (lists == 1 ? 1 : 0))
        }
    }

    @Test func `lists larger than half of the limit are not cached`() async throws {
        let (image, service) = (UUID(), Service(count: 1_000, bytes: 1_000))
        var limits = HTTPLimits()
        limits.recentCommentsBytes = 2_000_000
        try await RunningAPI.with(service.services(), limits: limits) { api async throws in
            for _ in 1...2 { #expect(try await api.exchange(Self.target(image)).status == 200) }
            #expect(service.lists.withLock { $0 } == 2 && api.gateway.comments.recent.count == 0)
        }
    }

    @Test func `a comment posted through the gateway is visible at once`() async throws {
        let (image, service) = (UUID(), Service(count: 1_000, bytes: 1_000))
        try await RunningAPI.with(service.services()) { api async throws in
            for _ in 1...2 { _ = try await api.exchange(Self.target(image)) }
            #expect(service.lists.withLock { $0 } == 1)
            let handlers = GatewayHandlers(
                gateway: api.gateway, identity: ServiceIdentity(name: "gateway", version: "1"))
            try await TestServer.with(handlers.table) { server async throws -> Void in
                try await RPCClient.withConnection(to: server.path, as: "test") { client in
                    for method in ["comments.post", "comments.remove"] {
                        // The call fails; whether it had an effect is then unknown.
                        _ = await #expect(throws: RPCError.self) { try await client.call(method, .emptyObject) }
                        _ = try await api.exchange(Self.target(image))
                    }
                    _ = await #expect(throws: RPCError.self) { try await client.call("comments.list", .emptyObject) }
                    _ = try await api.exchange(Self.target(image))
                }
            }
            #expect(service.lists.withLock { $0 } == 3)
        }
    }
}

extension RunningAPI {
    /// Opens this many connections.
    fileprivate func connected(_ count: Int) async throws -> [HTTPPeer] {
        var peers: [HTTPPeer] = []
        for _ in 0..<count { peers.append(try await connect()) }
        return peers
    }
}
