import CommentsContract
import FeedContract
import Foundation
import GatewayContract
import Presentation
import RPC

/// The gateway's own methods: answers of the composition in the reader's language.
struct GatewayHandlers: Sendable {
    let gateway: Gateway
    let identity: ServiceIdentity

    /// The HTTP requests by method and route.
    var requests: @Sendable () -> [String: MethodStatistics] = { [:] }

    private var registry: PluginRegistry { gateway.registry }

    var table: MethodTable {
        var table = MethodTable(GatewayContract.contract)
        table.handle(GatewayContract.feedPage) { request, context in
            try await presentingErrors(in: Language(request.locale)) { try await feedPage(request, context) }
        }
        table.handle(GatewayContract.comments) { request, context in
            try await presentingErrors(in: Language(request.locale), about: request.imageID) {
                try await comments(request, context)
            }
        }
        table.handle(GatewayContract.postComment) { comment, context in
            try await gateway.comments.post(comment, CallOptions(onBehalfOf: context))
        }
        table.handle(GatewayContract.image) { request, context in
            let id: UUID? = if case .item(let id) = request.subject { id } else { nil }
            return try await presentingErrors(in: Language(request.locale), about: id) {
                try await image(request, context)
            }
        }
        table.handle(GatewayContract.plugins) { _, _ in
            PluginList(
                plugins: PluginReport.noting(registry.rejections, in: await registry.map { await $0.report() }),
                refused: registry.rejections.map(RefusedManifest.init))
        }
        table.handle(ProtocolMethods.health.passingErrors, health)
        table.handle(ProtocolMethods.describe.passingErrors, describe)
        table.handle(ProtocolMethods.stats.passingErrors, stats)
        table.forward = { method, params, context, completion in
            registry.forward(method, params, context) { outcome in
                gateway.noteCall(of: method)
                completion(outcome)
            }
        }
        table.forwardStream = { method, params, context, items in
            try await registry.forwardStream(method, params, context, items)
        }
        table.isForwarded = registry.knows
        return table
    }

    private func feedPage(_ request: FeedPageRequest, _ context: CallContext) async throws -> FeedPageAnswer {
        let load = LoadFeed(limit: request.limit, afterID: request.afterID, beforeID: request.beforeID)
        return try await gateway.feedPage(load, in: Language(request.locale), CallOptions(onBehalfOf: context))
    }

    private func comments(_ request: CommentsRequest, _ context: CallContext) async throws -> CommentsAnswer {
        let list = ListComments(imageID: request.imageID, limit: request.limit, afterID: request.afterID)
        return try await gateway.commentsPage(list, in: Language(request.locale), CallOptions(onBehalfOf: context))
    }

    private func image(_ request: ImageRequest, _ context: CallContext) async throws -> ImageAnswer {
        let (language, options) = (Language(request.locale), CallOptions(onBehalfOf: context))
        let (title, url) =
            switch request.subject {
            case .url(let url): (Texts(language)[.image], url)
            case .item(let id): try await FeedImagePresenter.titleAndURL(gateway.feed.item(id, options), language)
            }
        return ImageAnswer(title: title, loaded: try await gateway.pictures.bytes(at: url, options))
    }

    // MARK: The protocol's own

    private func health(_ selection: ServiceSelection, _ context: CallContext) async throws -> Health {
        if let plugin = try selected(selection) {
            return try await plugin.call(ProtocolMethods.health, ServiceSelection(), CallOptions(onBehalfOf: context))
        }
        let parts = await registry.map { plugin in
            let options = CallOptions(onBehalfOf: context)
            async let faults = plugin.faults(options)
            return GatewayHealth.Part(plugin: plugin, health: await plugin.health(options), faults: await faults)
        }
        let slow = await context.slownessChecks
        return GatewayHealth.summary(parts, refused: registry.rejections, slow: slow, now: gateway.now())
            .noting(await context.draining)
    }

    private func describe(_ selection: ServiceSelection, _ context: CallContext) async throws -> ServiceDescription {
        if let plugin = try selected(selection) {
            return try await plugin.call(ProtocolMethods.describe, ServiceSelection(), CallOptions(onBehalfOf: context))
        }
        let own = [GatewayContract.contract]
        if selection.service != nil { return ServiceDescription(service: identity, contracts: own) }
        let others = await registry.map { plugin in
            do throws(RPCError) {
                return try await plugin.contracts(CallOptions(onBehalfOf: context))
            } catch {
                // `gateway.plugins` and `rpc.health` report a plugin that does not answer.
                return []
            }
        }
        return ServiceDescription(service: identity, contracts: own + others.joined())
    }

    private func stats(_ selection: ServiceSelection, _ context: CallContext) async throws -> Statistics {
        if let plugin = try selected(selection) {
            do throws(RPCError) {
                return try await plugin.call(
                    ProtocolMethods.stats, ServiceSelection(), CallOptions(onBehalfOf: context))
            } catch {
                guard error.kind == .methodNotFound else { throw error }
                let reason = "\(plugin.name) has no statistics: it does not have the optional method rpc.stats"
                throw RPCError(.methodNotFound, reason, begun: false)
            }
        }
        guard var statistics = await context.statistics else {
            throw RPCError(.unavailable, "\(identity.name) is shutting down", begun: false)
        }
        statistics.measures.requests = requests()
        return statistics
    }

    /// Nil for the gateway itself.
    private func selected(_ selection: ServiceSelection) throws(RPCError) -> Plugin? {
        guard let name = selection.service else { return nil }
        // A longer one is neither compared nor repeated.
        guard name.utf8.count <= PluginName.maximumLength else {
            throw RPCError(
                .invalidParams, "params.service: must have at most \(PluginName.maximumLength) bytes", begun: false
            )
        }
        guard name != identity.name else { return nil }
        guard registry.plugins.contains(where: { $0.name == name }) else {
            let known = registry.plugins.map(\.name)
            let nearest = Nearest.to(name, among: known).map { "did you mean \($0)? " } ?? ""
            throw RPCError(
                .invalidParams,
                "params.service: \(name) is unknown; \(nearest)There are \(known.joined(separator: ", "))", begun: false
            )
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
