import Glibc
import NIOCore
import NIOPosix

/// An HTTP server that answers each request with the bytes of a script, well formed or not.
public struct OriginServer: Sendable {
    /// The steps for a request.
    public typealias Script = @Sendable (OriginRequest) -> [OriginStep]

    /// The channel handlers in front of all others, such as TLS.
    public struct Security: Sendable {
        let handlers: @Sendable () throws -> [any ChannelHandler]

        public static let none = Security { [] }

        /// - Parameter handlers: makes the handlers of a connection.
        public init(handlers: @escaping @Sendable () throws -> [any ChannelHandler]) { self.handlers = handlers }
    }

    /// The address that it listens on.
    public let host: String
    public let port: Int

    public let history: OriginHistory

    /// `http://HOST:PORT`, to which a path can be appended.
    public var url: String { "http://\(authority)" }

    /// `HOST:PORT`
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Serves while `body` runs.
    /// - Parameters:
    ///   - greeting: the text that it sends on a new connection before the first request.
    public static func with<Result>(
        host: String = "127.0.0.1", port: Int = 0, greeting: String = "",
        security: Security = .none,
        _ script: @escaping Script, _ body: (OriginServer) async throws -> Result
    ) async throws -> Result {
        let history = OriginHistory()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(security.handlers())
                    try channel.pipeline.syncOperations.addHandler(
                        OriginConnection(channel, history, greeting: greeting, script))
                }
            }
            .bind(host: host, port: port)
            .get()
        do {
            let server = OriginServer(host: host, port: listener.localAddress?.port ?? 0, history: history)
            let result = try await body(server)
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }
}

/// One connection of the server. Runs on the event loop.
private final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let channel: any Channel
    private let history: OriginHistory
    private let greeting: String
    private let script: OriginServer.Script
    private let number: Int
    private var received: [UInt8] = []
    private var requests = 0
    private var steps: ArraySlice<OriginStep> = []
    private var isBusy = false
    private var waiting: Task<Void, Never>?

    init(_ channel: any Channel, _ history: OriginHistory, greeting: String, _ script: @escaping OriginServer.Script) {
        self.channel = channel
        self.history = history
        self.greeting = greeting
        self.script = script
        number = history.open()
    }

    func channelActive(context: ChannelHandlerContext) {
        if !greeting.isEmpty { send(Array(greeting.utf8)) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        serve()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isBusy = true
        steps = []
        waiting?.cancel()
        history.close(number)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func serve() {
        let end = Array("\r\n\r\n".utf8)
        guard !isBusy, let start = received.indices.first(where: { received[$0...].starts(with: end) }) else { return }
        let request = OriginRequest(
            String(decoding: received[..<start], as: UTF8.self), connection: number, number: requests)
        received.removeFirst(start + end.count)
        requests += 1
        isBusy = true
        // Before the request appears in the history: a test that waits for it may change the script.
        steps = script(request)[...]
        history.request(request)
        next()
    }

    private func next() {
        guard let step = steps.popFirst() else {
            isBusy = false
            return serve()
        }
        switch step {
        case .send(let bytes):
            send(bytes)
            next()
        case .drip(let bytes, let count):
            guard !bytes.isEmpty else { return next() }
            after(0) {
                self.send(Array(bytes.prefix(count)))
                self.steps = [.drip(Array(bytes.dropFirst(count)), pieces: count)] + self.steps
                self.next()
            }
        case .wait(let isOver):
            let end = channel.eventLoop.makePromise(of: Void.self)
            end.futureResult.assumeIsolated().whenComplete { _ in if self.channel.isActive { self.next() } }
            waiting = Task {
                await isOver()
                end.succeed()
            }
        case .pause(let milliseconds): after(milliseconds) { self.next() }
        case .stall: break
        case .close: channel.close(promise: nil)
        case .reset:
            (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete {
                [channel] _ in
                channel.close(promise: nil)
            }
        }
    }

    private func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Runs `body` later, unless the connection is closed by then.
    private func after(_ milliseconds: Int64, _ body: @escaping () -> Void) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            if self.channel.isActive { body() }
        }
    }
}
