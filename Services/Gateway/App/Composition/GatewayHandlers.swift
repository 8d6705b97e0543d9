import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import JSON
import Presentation
import RPC

/// What the gateway answers itself: the parts of a page from the services that have them, in the reader's words.
struct GatewayHandlers: Sendable {
    let registry: PluginRegistry
    let recentImages: RecentImages
    let recentComments: RecentComments
    let identity: ServiceIdentity
    let now: @Sendable () -> Date

    var table: MethodTable {
        var table = MethodTable(GatewayContract.contract)
        table.handle(GatewayContract.feedPage) { request, context in
            try await presentingErrors(in: Language(request.locale)) { try await feedPage(request, context) }
        }
        table.handle(GatewayContract.comments) { request, context in
            try await presentingErrors(in: Language(request.locale)) { try await comments(request, context) }
        }
        table.handle(GatewayContract.postComment, postComment)
        table.handle(GatewayContract.image) { request, context in
            try await presentingErrors(in: Language(request.locale)) { try await image(request, context) }
        }
        table.handle(GatewayContract.plugins) { _, _ in
            PluginList(plugins: await registry.map { await $0.report() })
        }
        table.handle(ProtocolMethods.health.passingErrors, health)
        table.handle(ProtocolMethods.describe.passingErrors, describe)
        table.handle(ProtocolMethods.stats.passingErrors, stats)
        table.forward = { method, params, context, completion in
            registry.forward(method, params, context) { outcome in
                // Also when it has failed: how far it had come is not known.
                if Self.imageChanges.contains(method) { recentImages.forget() }
                if Self.commentChanges.contains(method) { recentComments.forget() }
                completion(outcome)
            }
        }
        table.forwardStream = { method, params, context, items in
            try await registry.forwardStream(method, params, context, items)
        }
        table.isForwarded = registry.knows
        return table
    }

    /// Calls after which an item may have another image, or none.
    private static let imageChanges: Set = [
        FeedContract.publish.name, FeedContract.remove.name, FeedContract.validate.name, ImageDataContract.put.name,
        ImageDataContract.evict.name,
    ]

    /// Calls after which an image may have other comments.
    private static let commentChanges: Set = [CommentsContract.post.name, CommentsContract.remove.name]

    // MARK: Feed

    private func feedPage(_ request: FeedPageRequest, _ context: CallContext) async throws -> FeedPageAnswer {
        let feed = try registry.plugin("feed")
        let loaded = try await feed.call(
            FeedContract.load,
            LoadFeed(limit: request.limit, afterID: request.afterID, beforeID: request.beforeID), context)
        let language = Language(request.locale)
        let page = FeedPagePresenter.viewModel(
            items: loaded.items.map { FeedImagePresenter.viewModel($0, language) },
            origin: Origin(loaded.origin), savedAt: loaded.savedAt,
            isFirstPage: request.afterID == nil && request.beforeID == nil,
            isLastPage: request.beforeID == nil && loaded.nextAfterID == nil, now: now(), language: language)
        return FeedPageAnswer(
            page: page, nextAfterID: loaded.nextAfterID, prevBeforeID: loaded.prevBeforeID, origin: loaded.origin,
            savedAt: loaded.savedAt, problems: [])
    }

    // MARK: Comments

    private func comments(_ request: CommentsRequest, _ context: CallContext) async throws -> CommentsAnswer {
        let language = Language(request.locale)
        let listed = try await registry.plugin("comments").call(
            CommentsContract.list,
            ListComments(imageID: request.imageID, limit: request.limit, afterID: request.afterID), context)
        let problem = try await registry.problem(
            provingImageOf: listed, request.imageID, CallOptions(onBehalfOf: context))
        let now = now()
        let viewModel = CommentsPresenter.viewModel(
            items: listed.items.map { CommentPresenter.viewModel($0, now, language) },
            origin: Origin(listed.origin), savedAt: listed.savedAt, isFirstPage: request.afterID == nil, now: now,
            language: language)
        return CommentsAnswer(
            comments: viewModel, nextAfterID: listed.nextAfterID,
            problems: [problem].compactMap(\.self).map {
                ProblemPresenter.viewModel(service: "feed", kind: $0.kind.rawValue, language: language)
            })
    }

    private func postComment(_ request: PostCommentRequest, _ context: CallContext) async throws -> PostedComment {
        do throws(RPCError) {
            _ = try await item(request.imageID, context)
        } catch {
            // The feed of an edge has a part of the items only. There the service refuses the comment, whatever the item is.
            guard error.kind == .notFound, try await hasForeignComments(request.imageID, context) else { throw error }
        }
        defer { recentComments.forget() }
        // With an id the call can be repeated, should the comments service go away under it.
        let comment = PostComment(
            imageID: request.imageID, message: request.message, username: request.username, id: request.id ?? UUID(),
            createdAt: request.createdAt)
        return try await registry.plugin("comments").call(CommentsContract.post, comment, context, isRepeatable: true)
    }

    /// Whether the comments are an upstream's: only an authority lists its own store, and only an edge's list fails because of
    /// the upstream.
    private func hasForeignComments(_ imageID: UUID, _ context: CallContext) async throws(RPCError) -> Bool {
        do throws(RPCError) {
            return try await registry.plugin("comments").call(
                CommentsContract.list, ListComments(imageID: imageID, limit: 1), context
            ).origin != .store
        } catch {
            guard [.notFound, .connectivity].contains(error.kind) else { throw error }
            return true
        }
    }

    // MARK: Images

    private func image(_ request: ImageRequest, _ context: CallContext) async throws -> ImageAnswer {
        let language = Language(request.locale)
        let (title, url) =
            switch request.subject {
            case .url(let url): (Texts(language)[.image], url)
            case .item(let id): try await FeedImagePresenter.titleAndURL(item(id, context), language)
            }
        let loaded = try await registry.plugin("image-data").call(
            ImageDataContract.load.name, Payload(RawJSON(LoadImage(url: url), as: LoadImage.codec)), context)
        return ImageAnswer(title: title, loaded: loaded)
    }

    private func item(_ id: UUID, _ context: CallContext) async throws(RPCError) -> FeedItem {
        try await registry.plugin("feed").call(FeedContract.get, FeedItemSelection(id: id), context)
    }

    // MARK: The protocol's own

    private func health(_ selection: ServiceSelection, _ context: CallContext) async throws -> Health {
        if let plugin = try selected(selection) {
            return try await plugin.call(ProtocolMethods.health, ServiceSelection(), context)
        }
        return GatewayHealth.summary(await registry.map { plugin in (plugin, await plugin.health()) }, now: now())
    }

    private func describe(_ selection: ServiceSelection, _ context: CallContext) async throws -> ServiceDescription {
        if let plugin = try selected(selection) {
            return try await plugin.call(ProtocolMethods.describe, ServiceSelection(), context)
        }
        let own = [GatewayContract.contract]
        if selection.service != nil { return ServiceDescription(service: identity, contracts: own) }
        let others = await registry.map { plugin in
            await plugin.contracts()
        }
        return ServiceDescription(service: identity, contracts: own + others.joined())
    }

    private func stats(_ selection: ServiceSelection, _ context: CallContext) async throws -> Statistics {
        if let plugin = try selected(selection) {
            return try await plugin.call(ProtocolMethods.stats, ServiceSelection(), context)
        }
        guard let statistics = await context.statistics else {
            throw RPCError(.unavailable, "\(identity.name) is going away", begun: false)
        }
        return statistics
    }

    /// Nil for the gateway itself.
    private func selected(_ selection: ServiceSelection) throws(RPCError) -> Plugin? {
        guard let name = selection.service, name != identity.name else { return nil }
        guard registry.plugins.contains(where: { $0.name == name }) else {
            let known = registry.plugins.map(\.name).joined(separator: ", ")
            throw RPCError(
                .invalidParams, "params.service: there is no service \(name); there are \(known)", begun: false)
        }
        return try registry.plugin(name)
    }
}

extension Method {
    /// The method with every error: the errors of a plugin reach the caller, and so does `invalid_data` for an answer that
    /// violates the contract.
    fileprivate var passingErrors: Method {
        Method(
            name, summary, params: params, answer: answer, isIdempotent: isIdempotent, errors: ErrorKind.allCases)
    }
}
