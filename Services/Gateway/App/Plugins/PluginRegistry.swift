import Logging
import NIOCore
import RPC
import ServiceKit
import Timing

/// The services behind the gateway by name, as their manifests list them now.
///
/// Its content is replaced as a whole, so that a call reads it under a short lock.
final class PluginRegistry: Sendable {
    private struct Content: Sendable {
        /// In the order of their names.
        let plugins: [Plugin]
        let byName: [String: Plugin]

        /// The files that are not used.
        let rejections: [FileRejection]

        init(_ plugins: [Plugin], _ rejections: [FileRejection]) {
            self.plugins = plugins.sorted { $0.name < $1.name }
            self.rejections = rejections.sorted { $0.file < $1.file }
            byName = Dictionary(uniqueKeysWithValues: plugins.map { ($0.name, $0) })
        }
    }

    private let content = Watched(Content([], []))
    private let failures: FailureLog

    /// Runs the connections. Its clock is that of the whole gateway.
    let executor: LoopExecutor

    /// The plugins whose connections `run` does not maintain yet.
    private let newPlugins: AsyncStream<Plugin>
    private let adding: AsyncStream<Plugin>.Continuation

    init(_ plugins: [Plugin] = [], _ failures: FailureLog = .none, executor: LoopExecutor = .shared) {
        self.failures = failures
        self.executor = executor
        (newPlugins, adding) = AsyncStream.makeStream()
        replace(plugins, [])
    }

    /// Maintains all connections, until the task is cancelled. Must be called once.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await plugin in newPlugins { group.addTask { await plugin.run() } }
        }
    }

    var clock: any MonotonicClock { executor.clock }

    // MARK: Content

    /// In the order of their names.
    var plugins: [Plugin] { content.withLock(\.plugins) }

    /// The manifests that are not used. A plugin whose manifest became invalid continues with its last valid one.
    var rejections: [FileRejection] { content.withLock(\.rejections) }

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

    /// Returns once the content fulfils the condition.
    func wait(
        until isSo: @escaping @Sendable (_ plugins: [Plugin], _ rejections: [FileRejection]) -> Bool
    ) async {
        await content.wait { isSo($0.plugins, $0.rejections) }
    }

    /// Replaces the content. Connections that are in both the old and the new one continue; the others are retired.
    func replace(_ plugins: [Plugin], _ rejections: [FileRejection]) {
        let new = Content(plugins, rejections)
        let old = content.withLock { content in
            defer { content = new }
            return content
        }
        for plugin in new.plugins where old.byName[plugin.name]?.client !== plugin.client { adding.yield(plugin) }
        for plugin in old.plugins where new.byName[plugin.name]?.client !== plugin.client { plugin.retire() }
    }

    // MARK: Calls

    /// Calls a method whose answer a page can omit. A failure is logged, and never fails the page.
    /// - Parameter time: the timeout, if it is less than half of the caller's time.
    func optional<Params, Answer>(
        _ name: String, _ method: Method<Params, Answer>, _ params: Params, within time: TimeAmount,
        _ options: CallOptions
    ) async -> Result<Answer, RPCError> {
        do throws(RPCError) {
            return .success(try await plugin(name).call(method, params, options.optional(within: time, now: clock.now)))
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
