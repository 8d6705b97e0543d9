import Logging
import NIOCore
import NIOExtras
import NIOPosix
import RPC

/// The bound port of the HTTP API. Clients can connect as soon as it exists.
struct HTTPListener: Sendable {
    /// The bound address; port 0 is replaced by the port that the system has chosen.
    let address: HTTPAddress
    let connections: Int

    /// The budget for the answers of all its connections, which the API uses too.
    let budget: AnswerBudget

    /// What is counted of all its connections.
    let metrics: HTTPMetrics

    /// The requests by method and route.
    var statistics: [String: MethodStatistics] { metrics.statistics(at: loops.clock.now) }

    private let channel: NIOAsyncChannel<HTTPConnection.Parts, Never>
    let unserved: UnservedConnections
    private let quiescing: ServerQuiescingHelper
    private let loops: HTTPLoops
    private let logger: Logger

    /// The address cannot be bound.
    struct Refused: Error, CustomStringConvertible {
        let address: HTTPAddress
        let reason: String

        /// A supervisor has passed something else than a listening TCP socket.
        static func passed(_ descriptor: Int32, _ address: HTTPAddress) -> Refused {
            Refused(address: address, reason: "descriptor \(descriptor), which was passed, is no listening TCP socket")
        }

        var description: String {
            "cannot listen for HTTP on \(address): \(reason); choose another address with --http HOST:PORT "
                + "(deploy/up: --http-port PORT), a free port with port 0, or none with --http off"
        }
    }

    /// Binds the address. Clients can connect, and are answered when `serve` runs.
    /// - Parameters:
    ///   - passed: the descriptor of a listening socket to use in place of the address.
    ///   - connections: the maximum number of open connections; further clients wait in the backlog.
    static func bind(
        _ address: HTTPAddress, passed: Int32? = nil, connections: Int = HTTPLimits.connections,
        limits: HTTPLimits = HTTPLimits(), loops: HTTPLoops = .shared, logger: Logger
    ) async throws(Refused) -> HTTPListener {
        let quiescing = ServerQuiescingHelper(group: loops.group)
        let budget = AnswerBudget(limit: limits.answerBytes)
        let (metrics, unserved) = (HTTPMetrics(), UnservedConnections())
        if let passed {
            guard isListening(passed) else { throw .passed(passed, address) }
            // The programs of plugins must not get it.
            _ = fcntl(passed, F_SETFD, FD_CLOEXEC)
        }
        do {
            let bootstrap = ServerBootstrap(group: loops.group)
                .serverChannelOption(.backlog, value: backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // Accepts one connection per read, so that a batch cannot exceed the limit.
                .serverChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(ConnectionLimit(connections))
                        try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                    }
                }
            let setUp = { @Sendable (channel: any Channel) in
                HTTPConnection.setUp(channel, budget, metrics, loops.clock, unserved)
            }
            let channel =
                if let passed {
                    try await bootstrap.bind(passed, childChannelInitializer: setUp)
                } else {
                    try await bootstrap.bind(
                        host: address.host, port: address.port, childChannelInitializer: setUp)
                }
            let bound = channel.channel.localAddress
            let host = passed == nil ? nil : bound?.ipAddress
            return HTTPListener(
                address: HTTPAddress(host: host ?? address.host, port: bound?.port ?? address.port),
                connections: connections, budget: budget, metrics: metrics, channel: channel, unserved: unserved,
                quiescing: quiescing, loops: loops, logger: logger)
        } catch let error as IOError {
            throw Refused(
                address: address,
                reason: error.errnoCode == EADDRINUSE
                    ? "another process uses it" : String(cString: strerror(error.errnoCode)))
        } catch {
            throw Refused(address: address, reason: "\(error)")
        }
    }

    private static let backlog: Int32 = 512

    /// Whether the descriptor is a TCP socket that listens.
    private static func isListening(_ descriptor: Int32) -> Bool {
        func option(_ name: Int32) -> Int32? {
            var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        return [AF_INET, AF_INET6].contains(option(SO_DOMAIN)) && option(SO_ACCEPTCONN) == 1
    }

    /// Serves until `stop` returns and the requests in progress are answered, at most `drainTime` later. If the task is
    /// cancelled, it closes all connections at once.
    func serve(
        _ api: API, log: RequestLog, drainTime: TimeAmount, until stop: @escaping @Sendable () async -> Void
    ) async {
        let connection = HTTPConnection(api: api, log: log, clock: loops.clock, logger: logger)
        await withTaskExecutorPreference(loops.executor(of: channel.channel)) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await accept(connection) }
                // Ends only when it is cancelled.
                group.addTask { await api.events.run() }
                group.addTask { await api.commentsEvents.run() }
                group.addTask {
                    await stop()
                    let end = loops.clock.now + drainTime
                    api.events.end()
                    api.commentsEvents.end()
                    await stopAccepting()
                    quiescing.initiateShutdown(promise: nil)
                    // Cancelled when all connections have closed earlier.
                    try? await loops.clock.sleep(until: end)
                }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Accepts no further connection. Returns when those that were accepted have reached `accept`: once the listener is closed, NIO closes
    /// some of the others, and never serves the rest.
    private func stopAccepting() async {
        // It fails when the listener is closed.
        try? await channel.channel.triggerUserOutboundEvent(ConnectionLimit.Stop()).get()
        // Each was sent to its loop, set up there, and sent back. A loop that has ended has none left.
        let all = Array(loops.group.makeIterator()) + [channel.channel.eventLoop]
        for loop in all + all { try? await loop.submit {}.get() }
    }

    /// Accepts connections; returns when the listener and all connections are closed.
    private func accept(_ connection: HTTPConnection) async {
        do {
            try await withTaskCancellationHandler {
                try await channel.executeThenClose { clients in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await client in clients {
                            unserved.remove(client)
                            group.addTask(executorPreference: loops.executor(of: client.channel)) {
                                await connection.serve(client)
                            }
                        }
                    }
                }
            } onCancel: {
                // Stop accepting; no task would serve new connections.
                quiescing.initiateShutdown(promise: nil)
            }
        } catch {
            if !Task.isCancelled { logger.error("HTTP clients can no longer connect: \(error)") }
        }
        await unserved.close()
    }
}
