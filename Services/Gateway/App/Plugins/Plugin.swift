import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import Logging
import NIOCore
import RPC

/// A service behind the gateway: its manifest, and the client that talks to it.
struct Plugin: Sendable {
    let manifest: PluginManifest
    let client: RPCClient

    /// Its state, as its client reports it.
    let standing: PluginStanding

    /// How long the gateway itself waits when it asks how a plugin is.
    static let probeTimeout = TimeAmount.seconds(1)

    /// Methods of the contracts that are known here which may be called again when a connection was lost. Of others nobody
    /// knows that.
    private static let repeatableMethods = Set(
        [FeedContract.contract, CommentsContract.contract, ImageDataContract.contract]
            .flatMap(\.methods).filter(\.idempotent).map(\.name))

    /// - Parameter logger: takes one line for each change of its state.
    init(
        _ manifest: PluginManifest, root: String, executor: LoopExecutor = .shared,
        logger: Logger = Logger(label: "none") { _ in SwiftLogNoOpLogHandler() }
    ) async throws {
        self.manifest = manifest
        let path = try SocketPath(
            manifest.socket.hasPrefix("/") ? manifest.socket : "\(root)/run/\(manifest.socket)")
        let standing = PluginStanding(name: manifest.name, path: path, logger: logger)
        self.standing = standing
        // Errors name the socket without its directory.
        let socketName = path.description.split(separator: "/").last.map(String.init)
        client = await RPCClient.make(
            to: path, as: "gateway", executor: executor, peerName: socketName, contracts: manifest.contracts,
            onChange: standing.note)
    }

    var name: String { manifest.name }

    /// Calls a method that is known here.
    /// - Parameter isRepeatable: as in `CallOptions`.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ context: CallContext, isRepeatable: Bool? = nil
    ) async throws(RPCError) -> Answer {
        var options = CallOptions(onBehalfOf: context)
        options.isRepeatable = isRepeatable
        return try await call(method, params, options)
    }

    /// Calls a method that is known here, for somebody who has not called over the gateway's socket.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ options: CallOptions
    ) async throws(RPCError) -> Answer {
        do throws(RPCError) {
            return try await client.call(method, params, inTime(options))
        } catch {
            throw named(error)
        }
    }

    /// Calls a method without reading its answer.
    func call(_ method: String, _ params: Payload, _ context: CallContext) async throws(RPCError) -> Payload {
        do throws(RPCError) {
            return try await client.call(method, params, forwarding(method, context))
        } catch {
            throw named(error)
        }
    }

    /// Passes a call on without looking into it.
    /// - Parameter completion: called once, on the event loop.
    /// - Returns: cancels the call.
    func forward(
        _ method: String, _ params: Payload, _ context: CallContext,
        _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
    ) -> @Sendable () -> Void {
        client.forward(method, params, forwarding(method, context)) { completion($0.mapError(named)) }
    }

    private func forwarding(_ method: String, _ context: CallContext) -> CallOptions {
        var options = inTime(CallOptions(onBehalfOf: context))
        options.isRepeatable = Self.repeatableMethods.contains(method)
        return options
    }

    /// Passes a stream on, item by item, as fast as its taker takes them.
    func forwardStream(
        _ method: String, _ params: Payload, _ context: CallContext, _ sink: ItemSink<Payload>
    ) async throws {
        do {
            // A stream lives as long as its taker: the time for an answer is not its time.
            var options = CallOptions(onBehalfOf: context)
            // What a taker can hold is held for it there, not here.
            options.window = min(options.window, Limits.defaultStreamWindow)
            try await client.withStream(method, params, options) { items in
                for try await item in items { try await sink.send(item) }
            }
        } catch let error as RPCError {
            throw named(error)
        }
    }

    /// No longer than the manifest allows.
    private func inTime(_ options: CallOptions) -> CallOptions {
        var options = options
        if let timeout = manifest.timeout {
            options.deadline = min(options.deadline, .now() + .milliseconds(Int64(timeout)))
        }
        return options
    }

    /// Says which service it was that did not answer.
    @Sendable private func named(_ error: RPCError) -> RPCError {
        var error = error
        error.service = error.service ?? name
        return error
    }
}
