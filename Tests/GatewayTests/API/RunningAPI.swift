import Foundation
import Logging
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// The HTTP API on a real port, with services whose answers the test sets.
struct RunningAPI: Sendable {
    let port: Int
    let gateway: Gateway
    let budget: AnswerBudget
    let metrics: HTTPMetrics
    let events: FeedEvents

    /// Begins to drain, as on a first SIGTERM.
    let stop: @Sendable () -> Void

    /// Returns when the server has ended.
    let ended: @Sendable () async -> Void

    /// A separate loop, so that other tests of this process do not delay the API and the services.
    private static let loop = LoopExecutor.separate().loop

    // For tests without a clock of their own time stands still.
    private static let stillness = ManualClock()
    private static let executor = LoopExecutor(loop, clock: stillness)
    private static let loops = HTTPLoops(count: 2, clock: stillness)

    /// - Parameter clock: measures the time of the API and the services. All HTTP connections are then on one loop: when one of them is
    ///   answered, the server has accepted those that were opened before and has read what they had sent.
    static func with<Result: Sendable>(
        _ services: FakeServices = FakeServices(), running names: [String] = ["feed", "comments", "image-data"],
        limits: HTTPLimits = HTTPLimits(), logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        connections: Int = HTTPLimits.connections, writeToken: WriteToken? = nil, publicURL: PublicURL? = nil,
        followsHost: Bool = false, site: Site = Site(), metrics: MetricsAccess = .local,
        access: AccessLog? = nil,
        clock: ManualClock? = nil, _ body: (RunningAPI) async throws -> Result
    ) async throws -> Result {
        let failures = FailureLog(logger)
        let loops = clock.map { HTTPLoops(count: 1, clock: $0) } ?? loops
        return try await withRegistry(of: services, running: names, failures, clock: clock) { registry in
            let listener = try await HTTPListener.bind(
                HTTPAddress(host: "127.0.0.1", port: 0), connections: connections, limits: limits,
                loops: loops, logger: Logger(label: "test"))
            let api = API(
                gateway: Gateway(registry, limits, site: site), publicURL: publicURL ?? PublicURL(listener.address),
                followsHost: followsHost, limits: limits, budget: listener.budget, metrics: listener.metrics,
                metricsAccess: metrics, access: WriteAccess(token: writeToken), version: "1")
            return try await running(listener, api, RequestLog(logger, failures, access: access), body)
        }
    }

    /// Runs the services, and passes a registry of them to `body`, which must run it.
    static func withRegistry<Result: Sendable>(
        of services: FakeServices, running names: [String] = ["feed", "comments", "image-data"],
        _ failures: FailureLog = .none, clock: ManualClock? = nil,
        _ body: (PluginRegistry) async throws -> Result
    ) async throws -> Result {
        let executor = clock.map { LoopExecutor(loop, clock: $0) } ?? executor
        return try await withTemporaryDirectory { root in
            let names = names + services.plugins.map(\.manifest.name)
            return try await serving(
                services.tables.filter { names.contains($0.key) && !services.down.contains($0.key) }, services.checks,
                root: root, executor
            ) {
                var plugins: [Plugin] = []
                for name in ["feed", "comments", "image-data"] {
                    let manifest = PluginManifest(
                        name: name, socket: name + ".sock", contracts: [name: 1], required: true, timeout: nil,
                        enriches: name == "comments" ? [Self.counting] : [])
                    plugins.append(try await Plugin(manifest, root: root, executor: executor))
                }
                for plugin in services.plugins {
                    plugins.append(try await Plugin(plugin.manifest, root: root, executor: executor))
                }
                return try await body(PluginRegistry(plugins, failures, executor: executor))
            }
        }
    }

    /// As the manifest of the comments service says.
    private static let counting = Enrichment(item: .feed, method: "comments.counts", name: "comments")

    private static func running<Result: Sendable>(
        _ listener: HTTPListener, _ api: API, _ log: RequestLog,
        _ body: (RunningAPI) async throws -> Result
    ) async throws -> Result {
        let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
        let (ends, ending) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await api.gateway.run() }
            group.addTask {
                await listener.serve(api, log: log, drainTime: Limits().drainTime) { for await _ in stops {} }
                ending.finish()
            }
            defer { group.cancelAll() }
            return try await body(
                RunningAPI(
                    port: listener.address.port, gateway: api.gateway, budget: listener.budget,
                    metrics: listener.metrics,
                    events: api.events,
                    stop: { stopping.finish() }, ended: { for await _ in ends {} }))
        }
    }

    /// Runs the servers, nested in each other.
    private static func serving<Result: Sendable>(
        _ tables: [String: MethodTable], _ checks: [String: [Health.Check]], root: String, _ executor: LoopExecutor,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard let (name, table) = tables.first else { return try await body() }
        return try await TestServer.with(
            table, named: name, at: SocketPath("\(root)/run/\(name).sock"), executor: executor,
            health: { checks[name] ?? [] }
        ) { _ in
            try await serving(tables.filter { $0.key != name }, checks, root: root, executor, body)
        }
    }

    /// Sends a request on a new connection, and waits for the answer.
    func exchange(
        _ target: String, method: String = "GET", _ fields: [String] = []
    ) async throws -> HTTPReply {
        try await HTTPPeer.exchange(port: port, target, method: method, fields)
    }

    /// Sends a request with a body on a new connection, and waits for the answer.
    func post(_ target: String, _ fields: [String], _ body: String) async throws -> HTTPReply {
        let peer = try await connect()
        try await peer.request(target, method: "POST", fields + ["Content-Length: \(body.utf8.count)"])
        try await peer.send(body)
        let reply = await peer.receive()
        try await peer.wire.close()
        return try #require(reply)
    }

    func connect() async throws -> HTTPPeer { try await HTTPPeer.connect(port: port) }
}

extension Gateway {
    /// A gateway whose clock shows `noon`.
    init(
        _ registry: PluginRegistry, _ limits: HTTPLimits = HTTPLimits(), site: Site = Site()
    ) {
        self.init(registry, limits, site: site, now: { noon })
    }
}

extension HTTPReply {
    /// A member of a problem document.
    func member(_ name: String) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return object?[name].map { "\($0)" }
    }
}
