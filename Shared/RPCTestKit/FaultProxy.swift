import NIOCore
import NIOPosix
import RPC
import Synchronization

/// A proxy between a client and a server that injects faults. The same seed gives the same faults.
public struct FaultProxy: Sendable {
    /// The socket that clients connect to.
    public let path: SocketPath

    private let state: State

    /// The number of accepted connections.
    public var connections: Int { state.connections.load(ordering: .relaxed) }

    /// Stops injecting faults into new connections.
    public func heal() { state.faultyConnections.store(0, ordering: .relaxed) }

    private final class State: Sendable {
        let connections = Atomic(0)
        let faultyConnections: Atomic<Int>

        init(faultyConnections: Int) { self.faultyConnections = Atomic(faultyConnections) }
    }

    /// Forwards to `server` while `body` runs.
    /// - Parameter faultyConnections: the number of connections with faults. Later ones have none.
    public static func with<Result: Sendable>(
        _ fault: Fault, seed: UInt64, faultyConnections: Int = .max, to server: SocketPath,
        _ body: (FaultProxy) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/proxy.sock")
            let state = State(faultyConnections: faultyConnections)
            let listener = try await ServerBootstrap(group: LoopExecutor.shared.loop)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in
                    let number = state.connections.add(1, ordering: .relaxed).oldValue
                    let isFaulty = number < state.faultyConnections.load(ordering: .relaxed)
                    return join(channel, to: server, isFaulty ? fault : nil, seed: seed &* 1_000 &+ UInt64(number))
                }
                .bind(unixDomainSocketPath: path.description)
                .get()
            do {
                let result = try await body(FaultProxy(path: path, state: state))
                try await listener.close()
                return result
            } catch {
                try await listener.close()
                throw error
            }
        }
    }

    /// Joins an accepted connection with a new one to the server. Reading begins when both are connected.
    private static func join(
        _ client: any Channel, to server: SocketPath, _ fault: Fault?, seed: UInt64
    ) -> EventLoopFuture<Void> {
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .connect(unixDomainSocketPath: server.description)
            .flatMapThrowing { server in
                for (from, to, seed) in [(client, server, seed), (server, client, ~seed)] {
                    let stream = FaultyStream(fault, seed: seed)
                    try from.pipeline.syncOperations.addHandler(FaultyPipe(stream, from: from, to: to, fault))
                }
            }
            .flatMap {
                // Deferred until this initializer has ended and the channel is active.
                client.eventLoop.execute { client.setOption(.autoRead, value: true).whenComplete { _ in } }
                return client.eventLoop.makeSucceededVoidFuture()
            }
    }
}

/// One direction of a connection. Runs on the event loop.
private final class FaultyPipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var stream: FaultyStream
    private let from: any Channel
    private let to: any Channel
    private let fault: Fault?
    private var isPumping = false
    private var isInputClosed = false
    private var isOver = false

    init(_ stream: FaultyStream, from: any Channel, to: any Channel, _ fault: Fault?) {
        self.stream = stream
        self.from = from
        self.to = to
        self.fault = fault
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if from.isActive { from.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let bytes = unwrapInboundIn(data)
        if fault == nil {
            to.writeAndFlush(bytes, promise: nil)
            return
        }
        stream.append(bytes.readableBytesView)
        if let silence = stream.silence() {
            from.setOption(.autoRead, value: false).whenComplete { _ in }
            from.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(silence)) {
                self.from.setOption(.autoRead, value: true).whenComplete { _ in }
            }
        }
        pump()
    }

    private func pump() {
        guard !isPumping, !isOver else { return }
        isPumping = true
        from.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(stream.pause())) {
            self.isPumping = false
            self.passOn()
        }
    }

    private func passOn() {
        guard !isOver else { return }
        let piece = stream.next()
        if !piece.isEmpty { to.writeAndFlush(ByteBuffer(bytes: piece), promise: nil) }
        if stream.isCut { return cut() }
        if !stream.isEmpty, !piece.isEmpty { return pump() }
        if isInputClosed { end() }
    }

    private func cut() {
        isOver = true
        if fault == .truncations {
            to.close(mode: .output, promise: nil)
            from.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { self.closeBoth() }
        } else {
            closeBoth()
        }
    }

    private func closeBoth() {
        from.close(promise: nil)
        to.close(promise: nil)
    }

    private func end() {
        isOver = true
        to.close(mode: .output, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return }
        isInputClosed = true
        if stream.isEmpty { end() } else { pump() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        // Bytes that were read are already written, or lost with the connection.
        to.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { closeBoth() }
}
