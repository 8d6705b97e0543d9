import Foundation
import Glibc
import NIOCore
import NIOEmbedded

@testable import RPC

/// A client on connections that the script controls.
final class FuzzClient {
    private(set) var end: FuzzChannel?
    private(set) var connection: ClientConnection?
    let core: ClientCore
    private let loop: EmbeddedEventLoop
    private let executor: LoopExecutor
    private let tally = Tally()
    private var streams: [NIOLoopBound<ClientStream>] = []
    private(set) var lastID = 0

    /// The outcomes of the calls.
    private final class Tally: @unchecked Sendable {
        var begun = 0
        var ended = 0
        var taking = 0
        var protocolErrors: [RPCError] = []
    }

    init(on loop: EmbeddedEventLoop, limits: Limits, features: Features) throws {
        self.loop = loop
        executor = LoopExecutor(loop, threads: nil)
        core = ClientCore(
            path: try SocketPath("/fuzz"), name: nil, contracts: [:], limits: limits, features: features,
            peers: TrustedPeers(), executor: executor, client: Hello.Client(name: "fuzz", version: "1"),
            onChange: { _ in })
    }

    /// A connection was established.
    func connect() throws {
        guard end?.channel.isActive != true else { return }
        let end = try FuzzChannel(on: loop)
        let connection = ClientConnection(end.channel, core: core)
        try end.channel.pipeline.syncOperations.addHandler(connection)
        (self.end, self.connection) = (end, connection)
        try core.opened(connection, PeerCredentials(KernelCredentials(pid: 1, uid: geteuid(), gid: getegid())))
    }

    // MARK: Calls

    /// Makes a call with the parameters of `FuzzMethods`.
    func call(
        _ method: String, size: Int, count: Int, data: Int?, timeout: TimeAmount?, window: Int?, takesAttachments: Bool,
        isRepeatable: Bool
    ) {
        lastID += 1
        var options = CallOptions()
        options.timeout = timeout
        options.window = window ?? options.window
        let ask = FuzzMethods.Ask(
            size: size, count: count, data: data.map { Bytes(Data(repeating: 9, count: $0)) })
        options.isRepeatable = isRepeatable
        options.takesAttachments = takesAttachments
        let call = ClientCall(
            id: lastID, method, Payload(ask, as: FuzzMethods.Ask.codec), options, checksAttachments: true)
        if window == nil { callOnce(call) } else { callStream(call) }
    }

    private func callOnce(_ call: ClientCall) {
        let (core, tally) = (NIOLoopBound(core, eventLoop: loop), tally)
        tally.begun += 1
        Task(executorPreference: executor) {
            let outcome = await withUnsafeContinuation { continuation in
                call.caller = .task(continuation)
                core.value.begin(call)
            }
            tally.ended += 1
            if case .failure(let error) = outcome, error.kind == .invalidData { tally.protocolErrors.append(error) }
        }
    }

    private func callStream(_ call: ClientCall) {
        let stream = ClientStream(window: call.options.window, budget: core.streamBudget())
        streams.append(NIOLoopBound(stream, eventLoop: loop))
        call.caller = .stream(stream)
        core.beginStream(call)
    }

    /// Takes the next item of a stream.
    func takeItem(ofStream index: Int) {
        guard tally.taking == 0, streams.indices.contains(index) else { return }
        let (stream, tally) = (streams[index], tally)
        tally.taking += 1
        Task(executorPreference: executor) {
            _ = await withUnsafeContinuation { stream.value.next($0) }
            tally.taking -= 1
        }
    }

    // MARK: Invariants

    func check() throws(FuzzFinding) {
        if let fault = end?.kernel.fault { throw FuzzFinding(description: "client: \(fault)") }
        let held = connection?.transport.budget.bytes ?? 0
        try FuzzFinding.unless(
            held >= 0 && held <= core.limits.assembledBytes, "the client's budget holds \(held) bytes")
    }

    /// Our own server must not violate the protocol.
    func checkPeer() throws(FuzzFinding) {
        if let error = tally.protocolErrors.first { throw FuzzFinding(description: "our own server: \(error.message)") }
    }

    func stop() { core.stop() }

    func checkEnd() throws(FuzzFinding) {
        try check()
        try FuzzFinding.unless(tally.ended == tally.begun, "\(tally.begun - tally.ended) calls have not ended")
        try FuzzFinding.unless(tally.taking == 0, "a caller still waits for an item")
        try FuzzFinding.unless(streams.allSatisfy(\.value.isOver), "a stream has not ended")
        // Their readers have left.
        for stream in streams { stream.value.abandon() }
        try FuzzFinding.unless(executor.assembly.bytes == 0, "\(executor.assembly.bytes) bytes not released")
        let queued = connection?.transport.writer.queuedBytes ?? 0
        try FuzzFinding.unless(queued == 0, "\(queued) bytes queued")
    }
}
