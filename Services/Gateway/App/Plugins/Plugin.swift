import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import Logging
import NIOCore
import RPC
import Timing

/// A service behind the gateway: its manifest, and the client that talks to it.
struct Plugin: Sendable {
    private(set) var manifest: PluginManifest
    let client: RPCClient

    /// The clock of its connection.
    let clock: any MonotonicClock

    /// The directory of the deployment.
    let root: String

    /// Its state, as its client reports it.
    let standing: PluginStanding

    /// Ends when the plugin is retired.
    private let retirement: AsyncStream<Void>
    private let retiring: AsyncStream<Void>.Continuation

    /// The timeout of the gateway's own health checks.
    static let probeTimeout = TimeAmount.seconds(1)

    private static let ownContracts = [FeedContract.contract, CommentsContract.contract, ImageDataContract.contract]

    /// The methods of our own contracts that may be called again after a lost connection.
    private static let repeatableMethods = Set(ownContracts.flatMap(\.methods).filter(\.idempotent).map(\.name))

    /// Whether a call may change what the plugin adds to items. False for our own contracts: `Feed.changes` and
    /// `ImageComments.changes` list their methods.
    func mayChangeItems(by method: String) -> Bool {
        !manifest.enriches.isEmpty && !manifest.isRead(method) && !Self.ownContracts.contains { $0.name == name }
    }

    /// - Parameters:
    ///   - ownInstance: the instance of the gateway, which must not be its own plugin.
    ///   - logger: logs each change of the plugin's state.
    init(
        _ manifest: PluginManifest, root: String, executor: LoopExecutor = .shared, ownInstance: String? = nil,
        logger: Logger = Logger(label: "none") { _ in SwiftLogNoOpLogHandler() }
    ) async throws {
        self.manifest = manifest
        self.root = root
        clock = executor.clock
        let path = try SocketPath(manifest.socketPath(root: root))
        let standing = PluginStanding(name: manifest.name, path: path, logger: logger)
        self.standing = standing
        (retirement, retiring) = AsyncStream.makeStream(of: Void.self)
        // Errors name the socket without its directory.
        let socketName = path.description.split(separator: "/").last.map(String.init)
        client = await RPCClient.make(
            to: path, as: "gateway", executor: executor, peerName: socketName, contracts: manifest.contracts,
            ownInstance: ownInstance, onChange: standing.note)
    }

    /// The plugin with a changed manifest and the same connection.
    func with(_ manifest: PluginManifest) -> Plugin {
        var plugin = self
        plugin.manifest = manifest
        return plugin
    }

    /// Maintains the connection until the task is cancelled, or the plugin is retired and its calls have ended.
    func run() async { await client.run { [retirement] in for await _ in retirement {} } }

    /// Ends the plugin: new calls and streams are `unavailable`, calls under way may finish.
    func retire() { retiring.finish() }

    var name: String { manifest.name }

    /// Calls a method of a contract.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ options: CallOptions
    ) async throws(RPCError) -> Answer {
        let start = clock.now
        defer { CallTimes.current?.note(method.name, clock.now - start) }
        do throws(RPCError) {
            return try await client.call(method, params, inTime(options))
        } catch {
            throw named(error)
        }
    }

    /// Calls a method without decoding its answer.
    func call(_ method: String, _ params: Payload, _ options: CallOptions) async throws(RPCError) -> Payload {
        let start = clock.now
        defer { CallTimes.current?.note(method, clock.now - start) }
        do throws(RPCError) {
            return try await client.call(method, params, forwarding(method, options))
        } catch {
            throw named(error)
        }
    }

    /// Calls a stream of a contract, and passes its items to `body`.
    func withStream<Params, Item, Result>(
        _ method: StreamMethod<Params, Item>, _ params: Params, _ options: CallOptions,
        _ body: (ItemStream<Item>) async throws -> Result
    ) async throws -> Result {
        do {
            return try await client.withStream(method, params, options, body)
        } catch let error as RPCError {
            throw named(error)
        }
    }

    /// Forwards a call without decoding it.
    /// - Parameter completion: called once, on the event loop.
    /// - Returns: cancels the call.
    func forward(
        _ method: String, _ params: Payload, _ context: CallContext,
        _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
    ) -> @Sendable () -> Void {
        client.forward(method, params, forwarding(method, CallOptions(onBehalfOf: context))) {
            completion($0.mapError(named))
        }
    }

    private func forwarding(_ method: String, _ options: CallOptions) -> CallOptions {
        var options = inTime(options)
        options.isRepeatable = Self.repeatableMethods.contains(method) || manifest.isRead(method)
        return options
    }

    /// Forwards a stream item by item, as fast as the caller consumes it.
    func forwardStream(
        _ method: String, _ params: Payload, _ context: CallContext, _ sink: ItemSink<Payload>
    ) async throws {
        do {
            // The manifest's timeout limits answers, not streams.
            var options = CallOptions(onBehalfOf: context)
            // The gateway buffers this window in addition to the caller's buffer, so it must not be large.
            options.window = min(options.window, Limits.defaultStreamWindow)
            try await client.withStream(method, params, options) { items in
                for try await item in items { try await sink.send(item) }
            }
        } catch let error as RPCError {
            throw named(error)
        }
    }

    /// The options with the manifest's timeout, if that is shorter.
    private func inTime(_ options: CallOptions) -> CallOptions {
        var options = options
        if let timeout = manifest.timeout {
            let time = TimeAmount.milliseconds(Int64(timeout))
            options.timeout = min(options.timeout ?? time, time)
        }
        return options
    }

    /// The error with the name of the service.
    @Sendable func named(_ error: RPCError) -> RPCError {
        var error = error
        error.service = error.service ?? name
        return error
    }
}
