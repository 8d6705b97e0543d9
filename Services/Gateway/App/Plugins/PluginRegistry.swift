import Logging
import NIOCore
import RPC
import ServiceKit

/// The services behind the gateway by name, as their manifests list them.
struct PluginRegistry: Sendable {
    /// In the order of their names.
    let plugins: [Plugin]
    private let byName: [String: Plugin]
    private let failures: FailureLog

    init(_ plugins: [Plugin], _ failures: FailureLog = .none) {
        self.failures = failures
        self.plugins = plugins.sorted { $0.name < $1.name }
        byName = Dictionary(uniqueKeysWithValues: plugins.map { ($0.name, $0) })
    }

    /// Reads the folder once, and logs every invalid manifest.
    static func load(
        _ folder: PluginFolder, root: String, logger: Logger, failures: FailureLog
    ) async -> PluginRegistry {
        let (manifests, rejections) = folder.scan()
        for rejection in rejections { logger.error("plugin refused: \(rejection)") }
        var plugins: [Plugin] = []
        for manifest in manifests {
            do {
                plugins.append(try await Plugin(manifest, root: root, logger: logger))
            } catch {
                logger.error("plugin refused: \(manifest.name): \(error)")
            }
        }
        if plugins.isEmpty { logger.warning("no plugins in \(folder.path): there is nothing to serve yet") }
        return PluginRegistry(plugins, failures)
    }

    /// - Throws: `unavailable` for a service that the gateway itself needs and that has no manifest.
    func plugin(_ name: String) throws(RPCError) -> Plugin {
        guard let plugin = byName[name] else {
            throw RPCError(
                .unavailable, "there is no plugin named \(name); check plugins.d/\(name).json", begun: false)
        }
        return plugin
    }

    /// Calls a method without whose answer a page is still complete. The page does not wait long for it. A failure is logged.
    /// - Parameter time: the timeout, if it is shorter than that of `options`.
    func optional<Params, Answer>(
        _ name: String, _ method: Method<Params, Answer>, _ params: Params, within time: TimeAmount,
        _ options: CallOptions
    ) async -> Result<Answer, RPCError> {
        var options = options
        options.deadline = min(options.deadline, .now() + time)
        do throws(RPCError) {
            return .success(try await plugin(name).call(method, params, options))
        } catch {
            noteIgnored(method.name, error, options.trace)
            return .failure(error)
        }
    }

    /// Logs the failure of a call whose result the answer can omit.
    func noteIgnored(_ method: String, _ error: RPCError, _ trace: TraceContext) {
        if error.kind.isServerError { failures.note(method, error, trace) }
    }

    @Sendable func knows(_ name: String) -> Bool { byName[name] != nil }

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
        guard let dot = method.utf8.firstIndex(of: UInt8(ascii: ".")), let plugin = byName[String(method[..<dot])]
        else {
            throw RPCError(
                .methodNotFound,
                "there is no method \(method.prefix(80)) here; services: \(plugins.map(\.name).joined(separator: ", "))",
                begun: false)
        }
        return plugin
    }

    /// Maintains all connections, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for plugin in plugins { group.addTask { await plugin.client.run() } }
        }
    }

    /// Applies `body` to all plugins concurrently; the results have the order of `plugins`.
    func map<Result: Sendable>(_ body: @escaping @Sendable (Plugin) async -> Result) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            for (index, plugin) in plugins.enumerated() { group.addTask { (index, await body(plugin)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
