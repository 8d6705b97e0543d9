import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct CommentsRouteTests {
    private static let image = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
    private static let target = "/v1/image/\(image)/comments"

    private static func comment(_ number: Int, _ message: String = "so") -> SentComment {
        let id = UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")!
        return SentComment(id: id, message: message, createdAt: noon, author: .init(username: "ana"))
    }

    /// A service with these comments, in pages of 100.
    private static func services(_ comments: [SentComment]) -> FakeServices {
        var services = FakeServices()
        services.list = { params, _ in
            #expect(params.imageID.uuidString == image)
            let start = params.afterID.flatMap { id in comments.firstIndex { $0.id == id }.map { $0 + 1 } } ?? 0
            let page = comments[start...].prefix(ListComments.defaultLimit)
            return ListedComments(
                items: Array(page), nextAfterID: page.endIndex < comments.count ? page.last?.id : nil, origin: .store)
        }
        return services
    }

    @Test func `the JSON of a comment is stable`() async throws {
        try await RunningAPI.with(Self.services([Self.comment(1)])) { api in
            let reply = try await api.exchange("/v1/image/\(Self.image.lowercased())/comments")
            #expect(
                reply.text == """
                    {"items":[{"id":"00000000-0000-0000-0000-000000000001","message":"so",\
                    "created_at":"2026-03-01T12:00:00Z","author":{"username":"ana"}}]}
                    """)
            #expect(reply.status == 200 && reply["Content-Type"] == "application/json" && reply["ETag"] != nil)
        }
    }

    @Test(arguments: [1, 99, 100, 101, 250])
    func `all pages of comments are combined, oldest first`(count: Int) async throws {
        let comments = (1...count).map { Self.comment($0) }
        try await RunningAPI.with(Self.services(comments)) { api in
            let reply = try await api.exchange(Self.target)
            let ids = reply.text.matches(of: /"id":"([^"]*)"/).map { String($0.output.1) }
            #expect(ids == comments.map(\.id.uuidString))
        }
    }

    @Test func `an empty page ends the list, even with a cursor`() async throws {
        var services = FakeServices()
        services.list = { params, _ in
            ListedComments(
                items: params.afterID == nil ? [Self.comment(1)] : [], nextAfterID: Self.comment(1).id, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.text.matches(of: /message/).count == 1)
        }
    }

    /// Each comment has 124 bytes; the list adds 12 bytes and a comma between comments.
    @Test(arguments: [(10, 1_261, 200), (10, 1_260, 413), (.max, 100_000, 413)])
    func `a list over the limit is too_large`(count: Int, limit: Int, status: Int) async throws {
        var services = FakeServices()
        services.list = { params, _ in
            let page = (1...min(count, 100)).map { Self.comment($0) }
            return ListedComments(items: page, nextAfterID: count > 100 ? page.last?.id : nil, origin: .store)
        }
        var limits = HTTPLimits()
        limits.commentsBytes = limit
        try await RunningAPI.with(services, limits: limits) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.status == status && reply.text.contains(status == 413 ? "\(limit)" : "items"))
        }
    }

    @Test func `an image without comments has an empty list, an unknown one is not found`() async throws {
        var services = Self.services([])
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.status == 404 && reply.text.contains(#""kind":"not_found""#))
        }
        services.get = { selection, _ in FeedItem(id: selection.id, image: "urn:sha256:00") }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.status == 200 && reply.text == #"{"items":[]}"#)
        }
    }

    @Test(arguments: [AnswerOrigin.remote, .cache])
    func `for an upstream's list the feed is not asked whether the image exists`(origin: AnswerOrigin)
        async throws
    {
        // An edge without a feed store has no items.
        var services = FakeServices()
        services.list = { _, _ in ListedComments(items: [], nextAfterID: nil, origin: origin, savedAt: noon) }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.status == 200 && reply.text == #"{"items":[]}"#)
        }
    }

    @Test func `with the feed down an image is not reported as unknown`() async throws {
        try await RunningAPI.with(Self.services([]), running: ["comments"]) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply.status == 200 && reply.text == #"{"items":[]}"#)
        }
    }

    @Test func `a list is as old as its oldest page`() async throws {
        var services = FakeServices()
        services.list = { params, _ in
            let isFirst = params.afterID == nil
            return ListedComments(
                items: [Self.comment(isFirst ? 1 : 2)], nextAfterID: isFirst ? Self.comment(1).id : nil,
                origin: isFirst ? .remote : .cache, savedAt: isFirst ? noon - 5 : noon - 60)
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply["Age"] == "60" && reply["Cache-Status"] == "image-feed; hit")
        }
    }
}
