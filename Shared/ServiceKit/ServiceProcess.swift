import ArgumentParser
import Foundation
import Logging
import NIOCore
import RPC
import UnixSignals

/// The life of a process that serves: one start line, then silence until something changes, then an orderly end.
public struct ServiceProcess: Sendable {
    public let name: String
    public let logger: Logger
    private let options: ServiceOptions

    /// The version that all programs of this project share.
    public static let version = "0.1.0"

    public init(name: String, options: ServiceOptions) {
        self.name = name
        self.options = options
        var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = options.logLevel
        self.logger = logger
    }

    /// Serves until SIGTERM or SIGINT; a second one ends the process at once.
    /// - Parameters:
    ///   - companions: what runs beside the server, until the server has ended.
    ///   - health: what `rpc.health` answers.
    /// - Throws: `ExitCode`, after one line that says why it cannot serve.
    public func serve(
        _ methods: MethodTable, identity: ServiceIdentity? = nil,
        health: @escaping @Sendable () async -> [Health.Check],
        companions: @escaping @Sendable () async -> Void = {}
    ) async throws {
        // Before the socket is there, so that no signal can come too early for an orderly end.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var limits = Limits()
        limits.drainTime = .seconds(Int64(options.drainTime))
        let server = RPCServer(
            identity: identity ?? ServiceIdentity(name: name, version: Self.version), methods: methods, limits: limits,
            health: health,
            onFault: { [logger] fault in
                logger.error("\(fault.method) failed: \(fault.error)", metadata: fault.trace.metadata)
            })
        let socket = try fail(exitCode: EX_UNAVAILABLE) { try ListeningSocket(path: options.socket(of: name)) }
        let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await companions() }
            group.addTask {
                var isStopping = false
                for await signal in signals {
                    if isStopping { exit(128 + signal.rawValue) }
                    isStopping = true
                    stopping.finish()
                }
            }
            defer { group.cancelAll() }
            try await server.run(on: socket) {
                logger.info("serving on \(socket.path)")
            } until: {
                for await _ in stop {}
            }
        }
    }

    /// Runs a step of the start. What goes wrong is one line, and the end.
    public func fail<Result>(exitCode: Int32 = EX_SOFTWARE, _ step: () throws -> Result) throws -> Result {
        do {
            return try step()
        } catch {
            logger.critical("\(error)")
            throw ExitCode(exitCode)
        }
    }
}
