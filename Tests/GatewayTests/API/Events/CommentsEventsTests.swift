import CommentsContract
import EdgeModel
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct CommentsEventsTests {
    private static let comment = WatchedComment(
        imageID: UUID(number: 1),
        comment: Comment(id: UUID(number: 2), message: "Oi", createdAt: noon, author: .init(username: "ana")))

    @Test func `readers see posted and removed comments`() async throws {
        var services = FakeServices()
        services.watchComments = { _, items in
            try await items.send(CommentsEvent(seq: "0", change: .reset))
            try await items.send(CommentsEvent(seq: "1", change: .posted([Self.comment])))
            try await items.send(CommentsEvent(seq: "2", change: .removed([UUID(number: 2)])))
            await waitForCancellation()
        }
        try await RunningAPI.with(services) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/comments/events", ["Last-Event-ID: 0"])
            let removed = #"{"ids":["\#(UUID(number: 2))"]}"#
            let text = try #require(await peer.wire.receiveBytes(upTo: Array(removed.utf8)))
            let events = String(decoding: text, as: UTF8.self)
            #expect(events.contains("Content-Type: text/event-stream"))
            #expect(
                events.contains(
                    """
                    id: 1
                    event: posted
                    data: {"items":[{"image_id":"\(UUID(number: 1))","comment":{"id":"\(UUID(number: 2))",\
                    "message":"Oi","created_at":"2026-03-01T12:00:00Z","author":{"username":"ana"}}}]}
                    """))
            #expect(events.contains("id: 2\nevent: removed\ndata: "))
        }
    }

    @Test func `one reader more than the limit is told to come back later`() async throws {
        var limits = HTTPLimits()
        limits.commentsEventReaders = 1
        try await RunningAPI.with(limits: limits) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/comments/events")
            _ = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            #expect(try await api.exchange("/v1/comments/events").status == 429)
            // Readers of the feed are counted apart.
            #expect(try await api.exchange("/v1/feed/events", method: "HEAD").status == 200)
        }
    }

    @Test func `an authority's list names the events that tell of its changes`() async throws {
        var services = FakeServices()
        for origin in [AnswerOrigin.store, .remote, .cache] {
            services.list = { _, _ in
                ListedComments(items: [Self.comment.comment], nextAfterID: nil, origin: origin)
            }
            try await RunningAPI.with(services) { api in
                let reply = try await api.exchange("/v1/image/\(UUID(number: 1))/comments")
                let link = #"<http://127.0.0.1:\#(api.port)/v1/comments/events>; rel="monitor""#
                #expect(reply["Link"] == (origin == .store ? link : nil))
            }
        }
    }
}
