import Comments
import CommentsContract
import EdgeKit
import EdgeModel
import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Testing
import Timing
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
        let time = ManualClock()
        try await withClient(time, script: { $0.number == 0 ? Self.answer($0) : [.stall] }) { client, upstream in
            _ = try await client.call(CommentsContract.list, ListComments(imageID: image))
            let timeout = Duration.seconds(4)
            async let late = client.call(
                CommentsContract.list, ListComments(imageID: image), CallOptions(timeout: TimeAmount(timeout)))
            await upstream.history.wait { $0.requests.count == 2 }
            let budget = TimeAmount(FetchBudget.time(of: timeout))
            await time.waitForTimer(in: budget)
            await time.advance(by: budget)
            let page = try await late
            #expect(page.numbers == [1, 2, 3])
            #expect(page.origin == .cache)
        }
    }

    private static let answer: OriginServer.Script = { request in
        if request["If-None-Match"] == "\"a\"" { return [.response(304, [("ETag", "\"a\""), ("Age", "60")])] }
        return [.response(200, [("ETag", "\"a\"")], body: Array(UpstreamAnswer.list([1, 2, 3]).body))]
    }

    private func withClient(
        _ time: any MonotonicClock = .system, script: @escaping OriginServer.Script = answer,
        _ body: (RPCClient, OriginServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await OriginServer.with(script) { upstream in
                try await withClient(
                    time, upstream, SQLiteCommentsCache(SQLiteCommentsCache.opening.open(directory + "/edge.sqlite")),
                    body)
            }
        }
    }

    private func withClient(
        _ time: any MonotonicClock, _ upstream: OriginServer, _ cache: SQLiteCommentsCache,
        _ body: (RPCClient, OriginServer) async throws -> Void
    ) async throws {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint(url: upstream.url)]
        let client = UpstreamClient(settings, clock: time)
        let base = try #require(URL(string: upstream.url + "/api/"))
        let broadcast = ChangeBroadcast(cache)
        let logger = RecordedLog().logger
        let fetch = TracedUpstream(client, of: .test, profiler: Profiler([], logger: logger), logger: logger).fetch()
        let comments = EdgeComments(
            remote: RemoteComments(
                endpoint: CommentsEndpoint(base: base), fetch: fetch, cache: cache, broadcast: broadcast,
                now: { Date() }),
            cache: cache, monitor: UpstreamMonitor(.test, logger: logger, clock: time), clock: time,
            onFault: { logger.error("\($0)") })
        let (handlers, executor) = (
            EdgeHandlers(comments: comments, broadcast: broadcast), LoopExecutor.timed(by: time)
        )
        // Cancelled at the end of this scope.
        async let _: Void = comments.run()
        try await TestServer.with(handlers.table, executor: executor) { server in
            try await RPCClient.withConnection(to: server.path, as: "test", executor: executor) {
                try await body($0, upstream)
            }
        }
        await client.shutdown()
    }
}
