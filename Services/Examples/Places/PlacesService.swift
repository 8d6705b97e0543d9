import ArgumentParser
import FeedContract
import RPC
import ServiceKit

/// A plugin in Swift, on the runtime of this project's own services: it adds coordinates to the items of the feed.
///
/// The gateway passes only the ids of a page. The plugin reads the items from the gateway, like any other client. So it depends on the
/// contract of the feed, and not on the path of the feed's socket.
@main
struct PlacesService: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "places-service",
        abstract: "Add the coordinates of known places to the items of the feed: an example of a plugin.",
        version: ServiceProcess.version)

    static let sections = ["places"]

    static func main() async { await start() }

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        guard !options.isCheck else { return }
        let process = ServiceProcess(name: "places", options: options)
        let socket = try process.takeSocket()
        let path = try process.fail(releasing: socket) { try SocketPath(options.root.socket("gateway")) }
        let gateway = await RPCClient.make(to: path, as: process.name, version: ServiceProcess.version)
        let handlers = PlacesHandlers { id, options throws(RPCError) in
            try await gateway.call(FeedContract.get, FeedItemSelection(id: id), options).item.location
        }
        try await process.serve(handlers.table, on: socket, health: { [] }, companions: { await gateway.run() })
    }
}
