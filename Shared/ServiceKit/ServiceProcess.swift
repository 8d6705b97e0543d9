import ArgumentParser
import Foundation
import Logging
import NIOCore
import RPC
import UnixSignals

/// Runs a service process from start to orderly shutdown. It logs one line at the start, and further lines only when something
/// changes.
public struct ServiceProcess: Sendable {
    public let name: String
    public let logger: Logger

    /// The log of failed calls.
    public let failures: FailureLog
    private let options: ServiceOptions

    public var root: Root { options.root }

    /// The version that all programs of this project share.
    public static let version = "0.1.0"

    public init(name: String, options: ServiceOptions) {
        self.name = name
        self.options = options
        var logger = Logger(label: name) { label in
            JournalLogHandler(label: label).map { $0 as any LogHandler } ?? StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = options.logLevel
        self.logger = logger
        failures = FailureLog(logger)
    }

    /// Serves until SIGTERM or SIGINT; a second one ends the process at once.
    /// - Parameters:
    ///   - socket: from `takeSocket`.
    ///   - companions: runs beside the server and is cancelled when the server has ended.
    ///   - health: the checks that `rpc.health` returns.
    ///   - measures: the service's own numbers in `rpc.stats`.
    ///   - front: a second server of the process.
    /// - Throws: `ExitCode`, after logging one line with the reason.
    public func serve(
        _ methods: MethodTable, on socket: ListeningSocket, identity: ServiceIdentity? = nil,
        health: @escaping @Sendable () async -> [Health.Check],
        measures: @escaping @Sendable () async -> Measures = { Measures() },
        companions: @escaping @Sendable () async -> Void = {}, front: Front? = nil
    ) async throws {
        // Before the first connection is accepted, so that every signal leads to an orderly shutdown.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var limits = try options.limits()
        limits.connections = connections(limits.connections, beside: front?.connections ?? 0)
        let supervisor = Supervisor(logger: logger)
        let watchdog = watchdog(of: supervisor, on: socket)
        let server = try server(
            methods, identity: identity, on: socket, limits: limits, health: health, measures: measures)
        let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
        let (frontStop, frontStopping) = AsyncStream.makeStream(of: Void.self)
        let place = front.map { "\(socket) and \($0.address)" } ?? "\(socket)"
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await companions() }
            group.addTask { await failures.run() }
            group.addTask {
                var isStopping = false
                for await signal in signals {
                    if isStopping { exit(128 + signal.rawValue) }
                    isStopping = true
                    stopping.finish()
                }
            }
            defer { group.cancelAll() }
            // When the server cannot run, `async let` cancels the front and awaits it.
            async let fronting: Void? = front?.serve(server) { for await _ in frontStop {} }
            try await HangGuard(loop: LoopExecutor.shared.loop, logger: logger).whileRunning {
                try await run(server, on: socket) {
                    logger.info("serving on \(place)")
                    supervisor.tellReady("serving on \(place)")
                } until: {
                    await withTaskGroup(of: Void.self) { beating in
                        if let watchdog { beating.addTask { await watchdog.run() } }
                        for await _ in stop {}
                        frontStopping.finish()
                        supervisor.tellStopping("finishing the calls under way")
                        // The socket is closed, so the watchdog cannot connect either.
                        beating.cancelAll()
                    }
                }
            }
            await fronting
        }
    }

    private func server(
        _ methods: MethodTable, identity: ServiceIdentity?, on socket: ListeningSocket, limits: Limits,
        health: @escaping @Sendable () async -> [Health.Check], measures: @escaping @Sendable () async -> Measures
    ) throws -> RPCServer {
        let noteFault: @Sendable (RPCServer.Fault) -> Void = { [failures] fault in
            let kind = fault.isHidden ? nil : (fault.error as? RPCError)?.kind
            failures.note(fault.method, kind ?? .internalError, "\(fault.error)", fault.trace)
        }
        let showCall: @Sendable (CallRecord) -> Void = { [logger] in $0.log(to: logger) }
        return RPCServer(
            identity: identity ?? ServiceIdentity(name: name, version: Self.version), methods: methods, limits: limits,
            peers: try options.peers.trusted(), health: { await health() + Self.checks(of: socket) },
            measures: measures,
            onFault: noteFault, onCall: logger.logLevel <= .debug ? showCall : nil)
    }

    /// The check of the socket: degraded while new clients cannot connect, else empty.
    private static func checks(of socket: ListeningSocket) -> [Health.Check] {
        guard let hindrance = socket.hindrance else { return [] }
        let detail = "new clients cannot connect to the socket; the log says why"
        return [Health.Check(name: "socket", status: .degraded, detail: detail, since: hindrance.since)]
    }

    /// Runs the server and logs changes of its socket.
    /// - Throws: `ExitCode` when another process has taken the socket.
    private func run(
        _ server: RPCServer, on socket: ListeningSocket, onReady: @Sendable () -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        do {
            try await server.run(
                on: socket, onReady: onReady,
                onSocketChange: { [logger] change in
                    switch change {
                    case .restored:
                        logger.notice("\(socket) was removed, replaced or shut down by the system, and works again")
                    case .lost(let error): logger.error("clients cannot connect: \(error); retrying")
                    }
                },
                onLeftBehind: { [logger] methods in
                    logger.error("stopping without waiting for \(methods.joined(separator: ", ")): still running")
                    exit(EXIT_SUCCESS)
                }, until: stop)
        } catch let error as SocketError {
            logger.critical("\(error)")
            throw ExitCode(EX_UNAVAILABLE)
        }
    }

    /// Takes the service's socket, which is also the lock of its store. Call this before touching any other file: two processes
    /// must not use one store, and a newer one must not migrate it while an older one runs.
    public func takeSocket() throws -> ListeningSocket { try takeSockets(with: nil).socket }

    /// As `takeSocket`, for a process with a second server.
    /// - Parameter front: the name of the socket of that server, if a supervisor passes one.
    /// - Returns: the service's socket, and the descriptor of the other one, which is not checked.
    public func takeSockets(with front: String?) throws -> (socket: ListeningSocket, front: Int32?) {
        try fail(exitCode: EX_UNAVAILABLE) {
            try options.check()
            let passed = try PassedSockets.take()
            let front = front.flatMap { passed?.descriptor(named: $0) }
            if let passed, passed.count > 1 || front == nil {
                return (try ListeningSocket(adopting: passed.descriptor(for: name)), front)
            }
            let socket = try ListeningSocket(
                path: options.socket(of: name), group: options.peers.trusted().owningGroup)
            return (socket, front)
        }
    }

    /// Nil when the supervisor expects no keep-alive messages.
    private func watchdog(of supervisor: Supervisor, on socket: ListeningSocket) -> Watchdog? {
        guard let time = supervisor.watchdogTime else { return nil }
        guard let path = socket.path else {
            logger.error("cannot send keep-alive messages to the supervisor: \(socket) has no path to ping")
            return nil
        }
        return Watchdog(path: path, time: time, logger: logger) { supervisor.tellAlive() }
    }

    /// Runs a step of the start. On an error it releases the socket, logs one line and throws `ExitCode`.
    public func fail<Result>(
        exitCode: Int32 = EX_SOFTWARE, releasing socket: ListeningSocket? = nil, _ step: () throws -> Result
    ) throws -> Result {
        do {
            return try step()
        } catch {
            socket?.release()
            logger.critical("\(error)")
            throw ExitCode(exitCode)
        }
    }

    /// Prints why a mode that does not serve fails, as the parser of the options does.
    public func refusal(_ reason: some Error, exitCode: Int32 = EX_SOFTWARE) -> ExitCode {
        FileHandle.standardError.write(Data("Error: \(reason)\n".utf8))
        return ExitCode(exitCode)
    }

    /// The hard limit of open files (`RLIMIT_NOFILE`).
    public var openFiles: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Limits().connections }
        return Int(clamping: limit.rlim_max)
    }

    /// Raises the limit of open files as far as needed and allowed.
    /// - Returns: the number of connections that fit, at most `wanted`.
    private func connections(_ wanted: Int, beside others: Int) -> Int {
        let reserved = Self.reservedDescriptors + others
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        // Never lower it: the operator may have set a higher limit.
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(wanted + reserved)))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let possible = max(1, Int(clamping: limit.rlim_cur) - reserved)
        if possible < wanted {
            logger.notice("\(possible) connections at most: the limit of open files is \(limit.rlim_cur)")
        }
        return min(wanted, possible)
    }

    /// File descriptors for everything but connections: stores, event loops, standard streams.
    private static let reservedDescriptors = 64
}
