import Glibc
import NIOCore
import NIOEmbedded

@testable import RPC

/// A server with one connection, on a loop whose time the script controls. Everything except the listening socket is
/// real, including the handlers, whose tasks run on the same loop.
final class FuzzServer {
    let end: FuzzChannel
    let connection: ServerConnection
    let core: ServerCore
    let gate = FuzzGate()
    private let limits: Limits
    private let executor: LoopExecutor

    init(on loop: EmbeddedEventLoop, limits: Limits) throws {
        self.limits = limits
        executor = LoopExecutor(loop, threads: nil)
        let server = RPCServer(
            identity: ServiceIdentity(name: "fuzz", version: "1", instance: "1"),
            methods: FuzzMethods.table(gate: gate.pass), limits: limits,
            executors: LoopExecutors(executor), onFault: { _ in })
        core = server.makeCore(on: executor)
        end = try FuzzChannel(on: loop)
        connection = ServerConnection(end.channel, core: core)
        // Untrusted peers are refused earlier. The handler is added too late to see the channel become active, where it
        // would ask the system for the peer's credentials.
        try end.channel.pipeline.syncOperations.addHandler(connection)
        _ = core.admit(connection)
    }

    /// Checks the invariants that always hold.
    /// - Parameter received: how many bytes were received so far; each may be answered with an error.
    func check(received: Int) throws(FuzzFinding) {
        if let fault = end.kernel.fault { throw FuzzFinding(description: "server: \(fault)") }
        try FuzzFinding.unless(connection.calls.count <= limits.callsPerConnection, "more calls than allowed")
        try FuzzFinding.unless(
            connection.transport.budget.bytes <= limits.assembledBytes && connection.transport.budget.bytes >= 0,
            "the budget holds \(connection.transport.budget.bytes) bytes")
        let most = 2 * limits.queuedBytes + limits.callsPerConnection * 1_500_000 + 512 * received
        try FuzzFinding.unless(connection.writer.queuedBytes <= most, "\(connection.writer.queuedBytes) bytes queued")
    }

    /// Stops, and checks that nothing is left: the connection must be over, and the loop idle.
    func stop() { core.closeAll() }

    func checkEnd() throws(FuzzFinding) {
        try check(received: 0)
        try FuzzFinding.unless(core.callsUnderWay == 0, "\(core.callsUnderWay) handlers have not ended")
        try FuzzFinding.unless(connection.calls.isEmpty, "\(connection.calls.count) calls are still there")
        try FuzzFinding.unless(
            connection.transport.budget.bytes == 0, "\(connection.transport.budget.bytes) bytes not released")
        try FuzzFinding.unless(executor.assembly.bytes == 0, "\(executor.assembly.bytes) bytes not released")
        try FuzzFinding.unless(executor.answers.bytes == 0, "\(executor.answers.bytes) bytes of answers are counted")
        try FuzzFinding.unless(connection.writer.queuedBytes == 0, "\(connection.writer.queuedBytes) bytes queued")
    }
}
