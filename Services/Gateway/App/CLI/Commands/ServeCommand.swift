import ArgumentParser
import Foundation
import RPC
import ServiceKit

/// The gateway itself: its composition root.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway: compose the services of plugins.d behind one socket.",
        discussion: """
            Examples:
              gateway serve                      serve ROOT/run/gateway.sock
              gateway serve --root /srv/feed     a deployment of its own
            """)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        let process = ServiceProcess(name: "gateway", options: options)
        let socket = try process.takeSocket()
        let root = options.root
        let identity = ServiceIdentity(name: "gateway", version: ServiceProcess.version)
        let registry = await PluginRegistry.load(
            PluginFolder(path: root.plugins), root: root.path, logger: process.logger)
        let handlers = GatewayHandlers(registry: registry, identity: identity, now: { Date() })
        try await process.serve(
            handlers.table, on: socket, identity: identity, health: { [] }, companions: { await registry.run() })
    }
}
