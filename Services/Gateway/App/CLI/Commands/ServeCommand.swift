import ArgumentParser
import Foundation
import RPC
import ServiceKit

/// Starts the gateway: its socket, its plugins and its HTTP port.
struct ServeCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway, which serves the services in plugins.d on one socket and one port.",
        discussion: """
            Examples:
              gateway serve                      serve ROOT/run/gateway.sock and http://127.0.0.1:8080
              gateway serve --root /srv/feed --http 127.0.0.1:9090
                                                 serve another deployment
              gateway serve --public-url https://example.org/photos
                                                 serve behind a proxy, which may pass the path /photos or remove it
              gateway serve --http off           without HTTP
            """)

    static let sections = ["gateway"]

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "HTTP") var http: HTTPOptions

    func run() async throws {
        let process = ServiceProcess(name: "gateway", options: options)
        let access = try http.writeAccess(root: options.root, logger: process.logger)
        let settings = DeploymentSettings(root: options.root, path: options.configurationPath)
        let file = try settings.file()
        let site = try Site(file)
        guard !options.isCheck else { return }
        do throws(FileRejection) {
            try settings.plugins(with: file)
        } catch {
            // The gateway serves without the plugin.
            process.logger.warning("\(error)")
        }
        let log = try process.fail(exitCode: EX_CANTCREAT) { try http.log(process) }
        let (socket, passed) = try process.takeSockets(with: "http")
        let listener = try await listen(process, socket, passed)
        note(listener, process)
        let root = options.root
        let identity = ServiceIdentity(name: "gateway", version: ServiceProcess.version)
        let registry = PluginRegistry([], process.failures)
        let follower = PluginFollower(
            registry: registry, source: ManifestSource(of: root, ownSocket: socket.path?.description),
            ownInstance: identity.instance, logger: process.logger)
        await follower.load()
        let gateway = Gateway(registry, site: site, now: { Date() })
        try await process.serve(
            GatewayHandlers(gateway: gateway, identity: identity, requests: { listener?.statistics ?? [:] }).table,
            on: socket, identity: identity,
            health: { [] },
            companions: {
                await run(gateway, follower, PluginPrograms(registry: registry, root: root, logger: process.logger))
            },
            front: try listener.map { try front($0, gateway, access, log, process) })
    }

    /// Loads for the short-lived caches run on the loop of the services' connections, so that their calls change no thread.
    private func run(_ gateway: Gateway, _ follower: PluginFollower, _ programs: PluginPrograms) async {
        await withTaskExecutorPreference(gateway.registry.executor) {
            async let _: Void = follower.run()
            async let _: Void = programs.run()
            await gateway.run()
        }
    }

    /// Tells the scripts the URL of the HTTP port, in a file.
    private func note(_ listener: HTTPListener?, _ process: ServiceProcess) {
        let path = options.root.gatewayURL
        do {
            unlink(path)
            guard let listener else { return }
            // There is none if a supervisor has passed the sockets.
            mkdir(options.root.path + "/run", 0o700)
            try Data("http://\(listener.address)\n".utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            process.logger.warning("cannot write \(path): \(error)")
        }
    }

    /// Binds the HTTP port, before the socket accepts calls.
    /// - Parameter passed: the socket of a supervisor, if it has passed one.
    /// - Returns: nil when HTTP is off.
    private func listen(
        _ process: ServiceProcess, _ socket: ListeningSocket, _ passed: Int32?
    ) async throws -> HTTPListener? {
        guard let address = try http.address() else {
            if passed != nil {
                process.logger.warning("the HTTP port that was passed is not served: HTTP is off; deploy/up closes it")
            }
            return nil
        }
        do throws(HTTPListener.Refused) {
            return try await HTTPListener.bind(
                address, passed: passed, connections: HTTPLimits.connections(openFiles: process.openFiles),
                logger: process.logger)
        } catch {
            return try process.fail(exitCode: EX_UNAVAILABLE, releasing: socket) { throw error }
        }
    }

    /// The HTTP server on the bound port.
    private func front(
        _ listener: HTTPListener, _ gateway: Gateway, _ access: WriteAccess, _ log: RequestLog,
        _ process: ServiceProcess
    ) throws -> Front {
        var limits = HTTPLimits()
        // The rest is for all other requests.
        limits.eventReaders = min(limits.eventReaders, listener.connections / 2)
        limits.commentsEventReaders = min(limits.commentsEventReaders, listener.connections / 8)
        let drainTime = try options.limits().drainTime
        let address = "http://\(listener.address)"
        return Front(address: address, connections: listener.connections) { [limits] server, stop in
            let api = API(
                gateway: gateway, publicURL: http.publicURL ?? PublicURL(listener.address),
                followsHost: http.publicURL == nil && listener.address.isWildcard, limits: limits,
                budget: listener.budget, metrics: listener.metrics, metricsAccess: http.metrics,
                statistics: server.statistics, access: access, version: ServiceProcess.version)
            async let _: Void = withTaskExecutorPreference(globalConcurrentExecutor) { Pages.prepare() }
            await listener.serve(
                api, log: log, drainTime: drainTime, until: stop)
        }
    }
}
