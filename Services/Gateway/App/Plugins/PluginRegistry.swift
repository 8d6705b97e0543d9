import Logging
import NIOCore
import RPC
import ServiceKit
import Synchronization

/// The services behind the gateway by name, as their manifests list them now.
///
/// `run` follows the folder of manifests. It replaces the content as a whole, so that a call reads it under a short lock.
final class PluginRegistry: Sendable {
    private struct Content {
        /// In the order of their names.
        let plugins: [Plugin]
        let byName: [String: Plugin]

        /// The files that are not used.
        let rejections: [ManifestRejection]

        init(_ plugins: [Plugin], _ rejections: [ManifestRejection]) {
            self.plugins = plugins.sorted { $0.name < $1.name }
            self.rejections = rejections.sorted { $0.file < $1.file }
            byName = Dictionary(uniqueKeysWithValues: plugins.map { ($0.name, $0) })
        }
    }

    private let content: Mutex<Content>
    private let failures: FailureLog

    /// Nil for plugins that never change.
    private let source: PluginSource?

    init(_ plugins: [Plugin], _ failures: FailureLog = .none, from source: PluginSource? = nil) {
        self.failures = failures
        self.source = source
        content = Mutex(Content(plugins, []))
    }

    /// Reads the folder, and logs every invalid manifest.
    static func load(_ source: PluginSource, failures: FailureLog) async -> PluginRegistry {
        let registry = PluginRegistry([], failures, from: source)
        let plugins = await registry.update(from: source, isStart: true).new
        if plugins.isEmpty {
            source.logger.warning("no plugins in \(source.folder.path): there is nothing to serve yet")
        }
        return registry
    }

    // MARK: Content

    /// In the order of their names.
    var plugins: [Plugin] { content.withLock(\.plugins) }

    /// The manifests that are not used. A plugin whose manifest became invalid continues with its last valid one.
    var rejections: [ManifestRejection] { content.withLock(\.rejections) }

    /// - Throws: `unavailable` for a service that the gateway itself needs and that has no manifest.
    func plugin(_ name: String) throws(RPCError) -> Plugin {
        guard let plugin = content.withLock({ $0.byName[name] }) else {
            throw RPCError(
                .unavailable, "there is no plugin named \(name); check plugins.d/\(name).json", begun: false)
        }
        return plugin
    }

    /// Whether a call may change what a plugin adds to the items of the feed.
    func mayChangeItems(by method: String) -> Bool {
        let name = String(method.prefix { $0 != "." })
        return content.withLock { $0.byName[name] }?.mayChangeItems(by: method) ?? false
    }

    @Sendable func knows(_ name: String) -> Bool { content.withLock { $0.byName[name] != nil } }

    // MARK: Changes

    /// Maintains all connections and follows the folder, until the task is cancelled.
    /// - Parameter executor: its event loop receives the changes of the folder.
    func run(on executor: LoopExecutor = .shared) async {
        await withDiscardingTaskGroup { group in
            for plugin in plugins { group.addTask { await plugin.run() } }
            guard let source else { return }
            let watch = FolderWatch(path: source.folder.path, logger: source.logger)
            group.addTask { await watch.run(on: executor.loop) }
            for await _ in watch.changes {
                // Ends early when the task is cancelled.
                try? await Task.sleep(for: FolderWatch.settleTime)
                guard !Task.isCancelled else { break }
                let (new, hasLinks) = await update(from: source)
                watch.hasLinks = hasLinks
                for plugin in new { group.addTask { await plugin.run() } }
            }
        }
    }

    /// Reads the folder and applies its content. A plugin whose manifest has not changed, or is invalid now, stays.
    /// - Returns: the new plugins, whose connections are not maintained yet, and whether the folder has links.
    private func update(
        from source: PluginSource, isStart: Bool = false
    ) async -> (new: [Plugin], hasLinks: Bool) {
        let old = content.withLock { $0 }
        let inForce = old.plugins.map(\.manifest)
        let scan = await source.scan(beside: inForce)
        let choice = PluginChoice(scan, after: inForce)
        var rejections = scan.rejections + choice.refused.map { source.rejection(of: $0.manifest, $0.reason) }
        var (kept, new) = ([Plugin](), [Plugin]())
        for manifest in choice.manifests {
            if let known = old.byName[manifest.name], manifest.hasSameConnection(as: known.manifest) {
                kept.append(known.with(manifest))
                continue
            }
            do throws(ManifestRejection) {
                new.append(try await source.plugin(manifest))
            } catch {
                rejections.append(error)
            }
        }
        let content = Content(kept + new, rejections)
        self.content.withLock { $0 = content }
        noteRejections(content, after: old, source.logger)
        // At the start, the start line lists the plugins.
        if !isStart { notePlugins(content, after: old, source.logger) }
        for plugin in old.plugins where content.byName[plugin.name]?.client !== plugin.client { plugin.retire() }
        return (new, scan.hasLinks)
    }

    private func noteRejections(_ content: Content, after old: Content, _ logger: Logger) {
        for rejection in content.rejections where !old.rejections.contains(rejection) {
            let isKept = content.byName[rejection.name] != nil
            logger.error("plugin refused: \(rejection)\(isKept ? "; its last valid manifest remains in force" : "")")
        }
    }

    private func notePlugins(_ content: Content, after old: Content, _ logger: Logger) {
        for plugin in old.plugins where content.byName[plugin.name] == nil {
            logger.notice("plugin \(plugin.name) was removed: its manifest is gone")
        }
        for plugin in content.plugins {
            let known = old.byName[plugin.name]
            if known == nil {
                logger.notice("plugin \(plugin.name) at \(plugin.client.path) was added")
            } else if known?.manifest != plugin.manifest {
                logger.notice("plugin \(plugin.name) has a changed manifest")
            }
        }
    }

    // MARK: Calls

    /// Calls a method whose answer a page can omit. A failure is logged, and never fails the page.
    /// - Parameter time: the timeout, if it is less than half of the caller's time.
    func optional<Params, Answer>(
        _ name: String, _ method: Method<Params, Answer>, _ params: Params, within time: TimeAmount,
        _ options: CallOptions
    ) async -> Result<Answer, RPCError> {
        do throws(RPCError) {
            return .success(try await plugin(name).call(method, params, options.optional(within: time)))
        } catch {
            noteIgnored(method.name, error, options.trace)
            return .failure(error)
        }
    }

    /// Logs the failure of a call whose result the answer can omit. A method that does not exist is a fault of the manifest.
    func noteIgnored(_ method: String, _ error: RPCError, _ trace: TraceContext) {
        if error.kind.isServerError || error.kind == .methodNotFound { failures.note(method, error, trace) }
    }

    /// Forwards `service.verb` to the plugin of that name, as `Plugin.forward`.
    func forward(
        _ method: String, _ params: Payload, _ context: CallContext,
        _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
    ) -> @Sendable () -> Void {
        do throws(RPCError) {
            return try plugin(for: method).forward(method, params, context, completion)
        } catch {
            completion(.failure(error))
            return {}
        }
    }

    /// Forwards a stream.
    func forwardStream(
        _ method: String, _ params: Payload, _ context: CallContext, _ items: ItemSink<Payload>
    ) async throws {
        try await plugin(for: method).forwardStream(method, params, context, items)
    }

    private func plugin(for method: String) throws(RPCError) -> Plugin {
        guard let dot = method.utf8.firstIndex(of: UInt8(ascii: ".")),
            let plugin = content.withLock({ $0.byName[String(method[..<dot])] })
        else {
            throw RPCError(
                .methodNotFound,
                "there is no method \(method.prefix(80)) here; services: \(plugins.map(\.name).joined(separator: ", "))",
                begun: false)
        }
        return plugin
    }

    /// Applies `body` to all plugins concurrently; the results have the order of `plugins`.
    func map<Result: Sendable>(
        where isIncluded: (Plugin) -> Bool = { _ in true }, _ body: @escaping @Sendable (Plugin) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            for (index, plugin) in plugins.filter(isIncluded).enumerated() {
                group.addTask { (index, await body(plugin)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
