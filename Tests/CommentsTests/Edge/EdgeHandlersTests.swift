import Comments
import CommentsContract
import EdgeKit
import EdgeModel
import Foundation
import RPC
import RPCTestKit
import ServiceKit
import Testing
import Upstream

@testable import comments_service

/// The whole path from a caller's socket to an upstream's server.
@Suite struct EdgeHandlersTests {
    private let image = UUID(number: 0)

    @Test func `comments are served from the upstream over real connections`() async throws {
        try await withClient { client, upstream in
            let page = try await client.call(CommentsContract.list, ListComments(imageID: image, limit: 2))
            #expect(page.numbers == [1, 2])
            #expect(page.nextAfterID == UUID(number: 2))
            #expect(page.origin == .remote)
            let request = try #require(upstream.history.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/api/v1/image/\(image.uuidString)/comments")
            #expect(request["If-None-Match"] == nil)

            // The server answers 304 from here on.
            let rest = try await client.call(
                CommentsContract.list, ListComments(imageID: image, afterID: UUID(number: 2)))
            #expect(rest.numbers == [3])
            #expect(rest.origin == .remote)
            #expect(rest.savedAt != nil)
            #expect(upstream.history.requests.last?["If-None-Match"] == "\"a\"")

            let counts = try await client.call(
                CommentsContract.counts, CommentedImages(imageIDs: [image, UUID(number: 5)]))
            #expect(counts.counts == [image: 3])
        }
    }

    @Test func `an edge is read-only`() async throws {
        try await withClient { client, _ in
            let post = await #expect(throws: RPCError.self) {
                try await client.call(
                    CommentsContract.post, PostComment(imageID: image, message: "Lovely!", username: "ana"))
            }
            #expect(post?.kind == .readOnly)
            let removal = await #expect(throws: RPCError.self) {
                try await client.call(CommentsContract.remove, CommentSelection(id: UUID(number: 1)))
            }
            #expect(removal?.kind == .readOnly)
        }
    }

    @Test func `an unknown cursor is invalid_params`() async throws {
        try await withClient { client, _ in
            let error = await #expect(throws: RPCError.self) {
                try await client.call(CommentsContract.list, ListComments(imageID: image, afterID: UUID(number: 7)))
            }
            #expect(error?.kind == .invalidParams)
            #expect(error?.message.contains("after_id") == true)
        }
    }

    @Test func `a disconnected caller cancels the upstream request`() async throws {
        try await withClient(script: { _ in [.stall] }) { client, upstream in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: RPCError.self) {
                        try await client.call(CommentsContract.list, ListComments(imageID: image))
                    }
                }
                await upstream.history.wait { !$0.requests.isEmpty }
                group.cancelAll()
                await upstream.history.wait(for: .closed(0))
            }
        }
    }

    @Test func `a silent upstream leaves time for the cached answer`() async throws {
        // The time that is left is half a second. A busy machine may need another attempt, with an edge that has not noticed
        // the silence yet.
        var page: ListedComments?
        for _ in 1...10 where page == nil {
            try await withClient(script: { $0.number == 0 ? Self.answer($0) : [.stall] }) { client, _ in
                _ = try await client.call(CommentsContract.list, ListComments(imageID: image))
                page = try? await client.call(
                    CommentsContract.list, ListComments(imageID: image), CallOptions(timeout: .milliseconds(2_000)))
            }
        }
        #expect(page?.numbers == [1, 2, 3])
        #expect(page?.origin == .cache)
    }

    private static let answer: OriginServer.Script = { request in
        if request["If-None-Match"] == "\"a\"" { return [.response(304, [("ETag", "\"a\""), ("Age", "60")])] }
        return [.response(200, [("ETag", "\"a\"")], body: Array(UpstreamAnswer.list([1, 2, 3]).body))]
    }

    private func withClient(
        script: @escaping OriginServer.Script = answer, _ body: (RPCClient, OriginServer) async throws -> Void
    ) async throws {
        try await OriginServer.with(script) { upstream in
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint(url: upstream.url)]
            let client = UpstreamClient(settings)
            let store = InMemoryCommentsCache()
            let base = try #require(URL(string: upstream.url + "/api/"))
            let broadcast = ChangeBroadcast<CommentsChange>(life: "this")
            let comments = EdgeComments(
                remote: RemoteComments(
                    endpoint: CommentsEndpoint(base: base),
                    fetch: TracedUpstream(
                        client, of: .test, profiler: Profiler([], logger: RecordedLog().logger),
                        logger: RecordedLog().logger
                    ).fetch(),
                    cache: store, broadcast: broadcast, now: { Date() }),
                cache: store, monitor: UpstreamMonitor(.test, logger: RecordedLog().logger))
            // Cancelled at the end of this scope.
            async let _: Void = comments.run()
            try await TestServer.with(EdgeHandlers(comments: comments, broadcast: broadcast).table) { server in
                try await RPCClient.withConnection(to: server.path, as: "test") { try await body($0, upstream) }
            }
            await client.shutdown()
        }
    }
}
