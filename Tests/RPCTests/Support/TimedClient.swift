import Glibc
import NIOCore
import NIOEmbedded
import RPCTestKit

@testable import RPC

/// A client on a loop whose time the test controls; the test is also the other end of its connections. No test waits
/// for a clock.
/// Must be used by one thread.
final class TimedClient {
    let loop = EmbeddedEventLoop()
    let core: ClientCore
    private(set) var end: FuzzChannel?
    private let executor: LoopExecutor
    private let tally = Tally()
    private var incoming = Incoming()
    private var lastID = 0

    /// `@unchecked Sendable`: used only by the thread of the test, which also runs the tasks of its loop.
    private final class Tally: @unchecked Sendable {
        var outcomes: [Int: Result<Payload, RPCError>] = [:]
        var changes: [PeerChange] = []
    }

    init(limits: Limits = Limits()) throws {
        executor = LoopExecutor(loop, threads: nil)
        core = ClientCore(
            path: try SocketPath("/timed"), name: "peer", contracts: [:], limits: limits, features: .standard,
            peers: TrustedPeers(), executor: executor, client: Hello.Client(name: "timed", version: "1"),
            onChange: { [tally] in tally.changes.append($0) })
        // An embedded loop begins at zero; intervals need a time in the past.
        loop.advanceTime(by: .seconds(100))
    }

    // MARK: Calls

    /// Makes a call of `echo.say`.
    /// - Returns: its id.
    @discardableResult
    func call(_ text: String, repeatable: Bool = true, timeout: TimeAmount = .seconds(30)) -> Int {
        lastID += 1
        var options = CallOptions()
        options.timeout = timeout
        options.isRepeatable = repeatable
        let call = ClientCall(
            id: lastID, "echo.say", Payload(EchoContract.Text(text: text), as: EchoContract.Text.codec), options,
            checksAttachments: true)
        let (id, core, tally) = (lastID, NIOLoopBound(core, eventLoop: loop), tally)
        Task(executorPreference: executor) {
            tally.outcomes[id] = await withUnsafeContinuation { continuation in
                call.caller = .task(continuation)
                core.value.begin(call)
            }
        }
        loop.run()
        return id
    }

    func cancel(_ id: Int) {
        core.cancel(id)
        loop.run()
    }

    /// The outcome of a call; nil while it is under way.
    func outcome(_ id: Int) -> Result<Payload, RPCError>? { tally.outcomes[id] }

    /// The error of a call that has ended with one.
    func error(_ id: Int) -> RPCError? {
        guard case .failure(let error)? = tally.outcomes[id] else { return nil }
        return error
    }

    var changes: [PeerChange] { tally.changes }

    // MARK: Connections

    var isConnected: Bool { end?.channel.isActive == true }

    /// Makes an attempt to connect succeed.
    func connect() throws {
        let end = try FuzzChannel(on: loop)
        let connection = ClientConnection(end.channel, core: core)
        try end.channel.pipeline.syncOperations.addHandler(connection)
        (self.end, incoming) = (end, Incoming())
        try core.opened(connection, PeerCredentials(KernelCredentials(pid: 1, uid: geteuid(), gid: getegid())))
        loop.run()
    }

    /// Makes an attempt to connect succeed; the peer answers the greeting.
    func connectAndGreet(features: [String] = [], callsPerConnection: Int = 100) throws {
        try connect()
        _ = try received()
        try greet(features: features, callsPerConnection: callsPerConnection)
    }

    func greet(features: [String] = [], callsPerConnection: Int = 100) throws {
        let features = features.map { "\"\($0)\"" }.joined(separator: ",")
        try send(
            """
            {"jsonrpc":"2.0","id":0,"result":{"protocol":1,"service":{"name":"peer","version":"1","instance":"1"},\
            "contracts":{},"features":[\(features)],"limits":{"frame_bytes":1000000,\
            "calls_per_connection":\(callsPerConnection)}}}
            """)
    }

    /// Makes an attempt to connect fail.
    func fail(_ number: CInt = ECONNREFUSED) {
        core.failed(IOError(errnoCode: number, reason: "connect"))
        loop.run()
    }

    /// The peer closes the connection.
    func cut() {
        end?.close()
        loop.run()
    }

    // MARK: Messages

    func send(_ text: String) throws { try send(WirePeer.frame(text)) }

    func send(_ bytes: [UInt8]) throws {
        try end?.receive(ByteBuffer(bytes: bytes))
        loop.run()
    }

    /// The peer answers a call.
    func answer(_ id: Int) throws { try send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#) }

    /// The peer refuses a call before a handler ran.
    func refuse(_ id: Int, _ kind: ErrorKind, retryAfter: Int? = nil, begun: Bool = false) throws {
        let pause = retryAfter.map { #","retry_after_ms":\#($0)"# } ?? ""
        try send(
            #"""
            {"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(kind.code),"message":"m","data":{"kind":"\#(kind.rawValue)",\#
            "begun":\#(begun)\#(pause)}}}
            """#)
    }

    /// The messages that the peer has received since the last call of this method.
    func received() throws -> [Request] {
        guard let end else { return [] }
        return try incoming.requests(in: end.kernel.read(.max))
    }

    /// The texts of the calls that the peer has received since the last call of this method.
    func calls() throws -> [String] {
        try received().filter { $0.method == "echo.say" }.map { try $0.params.read(as: EchoContract.Text.codec).text }
    }

    func pass(_ time: TimeAmount) { loop.advanceTime(by: time) }

    /// Receives frames for the peer and assembles their messages.
    private struct Incoming {
        private var decoder = FrameDecoder(limit: 1_000_000)
        private var parts: [UInt32: ByteBuffer] = [:]

        init() { decoder.features = .standard }

        mutating func requests(in bytes: ByteBuffer) throws -> [Request] {
            decoder.append(bytes)
            var requests: [Request] = []
            while let frame = try decoder.next() {
                guard let text = message(frame), case .single(let call) = try MessageParser.parse(text),
                    case .request(let request) = call.content
                else { continue }
                requests.append(request)
            }
            return requests
        }

        private mutating func message(_ frame: Frame) -> ByteBuffer? {
            var payload = frame.payload
            switch frame.kind {
            case .message: return payload
            case .part, .lastPart:
                guard let number = payload.readInteger(as: UInt32.self) else { return nil }
                parts[number, default: ByteBuffer()].writeImmutableBuffer(payload)
                return frame.kind == .lastPart ? parts.removeValue(forKey: number) : nil
            case .compressedMessage, .attachmentChunk, .lastAttachmentChunk, .credit, .aborted, .stop: return nil
            }
        }
    }
}
