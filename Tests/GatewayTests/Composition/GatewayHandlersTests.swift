import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import Presentation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The gateway's own methods, with services whose answers the test sets.
@Suite struct GatewayHandlersTests {
    private let image = UUID()

    private func withClient(
        _ services: FakeServices, running names: [String] = ["feed", "comments", "image-data"],
        executor: LoopExecutor = .shared, _ body: (RPCClient) async throws -> Void
    ) async throws {
        try await RunningAPI.withRegistry(of: services, running: names) { registry in
            let gateway = Gateway(registry)
            let handlers = GatewayHandlers(
                gateway: gateway, identity: ServiceIdentity(name: "gateway", version: "1"))
            // Cancelled at the end of this scope.
            async let _: Void = gateway.run()
            try await TestServer.with(handlers.table, named: "gateway", executor: executor) {
                server async throws -> Void in
                try await RPCClient.withConnection(to: server.path, as: "test", body)
            }
        }
    }

    private func failure<Params, Answer>(
        _ client: RPCClient, _ method: Method<Params, Answer>, _ params: Params
    ) async -> RPCError? {
        do throws(RPCError) {
            _ = try await client.call(method, params)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an image of a page has its date`() async throws {
        let item = FeedItem(id: image, image: "urn:x:y", publishedAt: noon)
        let page = LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        try await withClient(.feed(page)) { client in
            let answer = try await client.call(GatewayContract.feedPage, FeedPageRequest())
            #expect(answer.page.items.map(\.publishedAt) == [noon])
        }
    }

    @Test func `a slow method of the gateway is named in its health, which it does not degrade`() async throws {
        let clock = ManualClock()
        var services = FakeServices()
        services.get = { _, _ in
            clock.jump(by: Slowness.callLimit + .milliseconds(1))
            throw RPCError(.notFound, "no such item")
        }
        try await withClient(services, executor: .timed(by: clock)) { client in
            func slow() async throws -> [String] {
                let health = try await client.call(ProtocolMethods.health, ServiceSelection())
                #expect(health.status == .serving)
                return health.checks.map(\.name).filter { $0.hasPrefix("slow:") }
            }
            let atFirst = try await slow()
            #expect(atFirst.isEmpty)
            for _ in 1...Slowness.fewestUses {
                let comment = PostComment(imageID: image, message: "a", username: "ana", id: UUID())
                _ = await failure(client, GatewayContract.postComment, comment)
            }
            let afterSlowCalls = try await slow()
            #expect(afterSlowCalls == ["slow:gateway.post_comment"])
            clock.jump(by: .seconds(60))
            let afterAMinute = try await slow()
            #expect(afterAMinute.isEmpty)
        }
    }

    // MARK: Errors

    private static let upstream = "http://10.0.0.7:8080"

    @Test(arguments: Language.allCases, [ErrorKind.connectivity, .unavailable, .invalidData, .dataLoss])
    func `errors are in the user's language and contain no addresses`(language: Language, kind: ErrorKind) async throws
    {
        var services = FakeServices()
        let error = RPCError(kind, "the upstream \(Self.upstream) did not answer")
        services.load = { _, _ in throw error }
        services.list = { _, _ in throw error }
        services.get = { selection, _ in FeedItem(id: selection.id, image: Self.upstream + "/a.jpg") }
        services.image = { _, _ in throw error }
        try await withClient(services) { client in
            let feed = FeedPageRequest(limit: nil, afterID: nil, beforeID: nil, locale: language.rawValue)
            let comments = CommentsRequest(imageID: image, limit: nil, afterID: nil, locale: language.rawValue)
            let image = ImageRequest(subject: .item(image), locale: language.rawValue)
            let failures = [
                await failure(client, GatewayContract.feedPage, feed),
                await failure(client, GatewayContract.comments, comments),
                await failure(client, GatewayContract.image, image),
            ]
            let words = ErrorPresenter.message(for: kind.rawValue, language: language)
            #expect(failures.allSatisfy { $0?.kind == kind && $0?.message == words }, "\(failures)")
            #expect(failures.map { $0?.service } == ["feed", "comments", "image-data"])
        }
    }

    @Test func `the error of a service that is down is in the user's language, without its socket`() async throws {
        try await withClient(FakeServices(), running: []) { client in
            let request = FeedPageRequest(limit: nil, afterID: nil, beforeID: nil, locale: "pt_BR.UTF-8")
            let error = await failure(client, GatewayContract.feedPage, request)
            #expect(error?.message == Texts(.ptBR)[.unavailable] && error?.service == "feed")
        }
    }

    @Test func `a message about the request is unchanged`() async throws {
        var services = FakeServices()
        services.load = { _, _ in throw RPCError(.invalidParams, "params.after_id: was never an item") }
        try await withClient(services) { client in
            let request = FeedPageRequest(limit: nil, afterID: UUID(), beforeID: nil, locale: "el")
            let error = await failure(client, GatewayContract.feedPage, request)
            #expect(error?.message == "params.after_id: was never an item")
        }
    }

    // MARK: Comments

    @Test(arguments: AnswerOrigin.allCases)
    func `only an authority refuses the empty list of an image that is not in the feed`(
        origin: AnswerOrigin
    ) async throws {
        var services = FakeServices()
        services.list = { _, _ in ListedComments(items: [], nextAfterID: nil, origin: origin) }
        try await withClient(services) { client in
            let request = CommentsRequest(imageID: image, limit: nil, afterID: nil, locale: nil)
            let error = await failure(client, GatewayContract.comments, request)
            #expect(error?.kind == (origin == .store ? .notFound : nil))
        }
    }

    @Test func `a comment on an image that is not in an authority's feed is rejected`() async throws {
        let comment = PostComment(imageID: image, message: "Lovely!", username: "ana")
        // An authority without the image posts nothing.
        var authority = FakeServices()
        authority.post = { _, _ in
            Issue.record("something was posted")
            throw RPCError(.dataLoss, "not to be asked")
        }
        authority.remove = { _, _ in
            Issue.record("something was removed")
            throw RPCError(.dataLoss, "not to be asked")
        }
        try await withClient(authority) { client in
            #expect(await failure(client, GatewayContract.postComment, comment)?.kind == .notFound)
        }
    }

    /// The lists of an edge for an image that its feed does not have.
    private static let edgeLists: [(String, FakeServices.Answer<ListComments, ListedComments>)] = [
        ("what the upstream says", { _, _ in ListedComments(items: [], nextAfterID: nil, origin: .remote) }),
        ("what is kept", { _, _ in ListedComments(items: [], nextAfterID: nil, origin: .cache) }),
        ("nothing, as the upstream knows no such image", { _, _ in throw RPCError(.notFound, "no such image") }),
        ("nothing, as the upstream is away", { _, _ in throw RPCError(.connectivity, "nobody is there") }),
    ]

    @Test(arguments: edgeLists.indices)
    func `a comment on an edge gets the error of the comments service`(index: Int) async throws {
        let comment = PostComment(imageID: image, message: "Lovely!", username: "ana")
        var edge = FakeServices()
        edge.list = Self.edgeLists[index].1
        for isKnown in [false, true] {
            if isKnown { edge.get = { selection, _ in FeedItem(id: selection.id, image: "urn:x:y") } }
            try await withClient(edge) { client in
                #expect(await failure(client, GatewayContract.postComment, comment)?.kind == .readOnly)
            }
        }
    }

    @Test func `a comment on an unknown image fails as unavailable if the comments service is down`() async throws {
        let comment = PostComment(imageID: image, message: "Lovely!", username: "ana")
        try await withClient(FakeServices(), running: ["feed"]) { client in
            #expect(await failure(client, GatewayContract.postComment, comment)?.kind == .unavailable)
        }
    }
}
