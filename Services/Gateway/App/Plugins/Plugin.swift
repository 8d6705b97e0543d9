import Foundation
import NIOCore
import RPC

/// A service behind the gateway: its manifest, and the client that talks to it.
struct Plugin: Sendable {
    let manifest: PluginManifest
    let client: RPCClient

    /// How long the gateway itself waits when it asks how a plugin is.
    static let probeTimeout = TimeAmount.seconds(1)

    init(_ manifest: PluginManifest, root: String) async throws {
        self.manifest = manifest
        let path = manifest.socket.hasPrefix("/") ? manifest.socket : "\(root)/run/\(manifest.socket)"
        client = await RPCClient.make(to: try SocketPath(path), as: "gateway")
    }

    var name: String { manifest.name }

    /// Calls a method that is known here.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ context: CallContext
    ) async throws(RPCError) -> Answer {
        do throws(RPCError) {
            return try await client.call(method, params, options(context))
        } catch {
            throw named(error)
        }
    }

    /// Passes a call on without looking into it.
    /// - Throws: `unavailable` when it does not offer the contracts that its manifest names.
    func forward(_ method: String, _ params: RawJSON, _ context: CallContext) async throws(RPCError) -> RawJSON {
        if let mismatch = await client.greeting().flatMap(mismatch) {
            throw RPCError(.unavailable, mismatch, begun: false, service: name)
        }
        do throws(RPCError) {
            return try await client.call(method, params, options(context))
        } catch {
            throw named(error)
        }
    }

    private func options(_ context: CallContext) -> CallOptions {
        var options = CallOptions(onBehalfOf: context)
        if let timeout = manifest.timeout {
            options.deadline = min(options.deadline, .now() + .milliseconds(Int64(timeout)))
        }
        return options
    }

    /// Says which service it was that did not answer.
    private func named(_ error: RPCError) -> RPCError {
        var error = error
        error.service = error.service ?? name
        return error
    }
}
