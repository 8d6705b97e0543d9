import NIOCore
import NIOPosix
import RPCTestKit
import Testing

@testable import RPC

/// Many clients connect at once to a server that accepts slowly.
struct BacklogTests {
    private static let clients = 200

    @Test(arguments: [1, 4])
    func `more clients than a backlog holds are all served, each within its time`(backlog: Int32) async throws {
        try await withSlowListener(backlog: backlog) { path in
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<Self.clients {
                    group.addTask {
                        try await RPCClient.withConnection(to: path, as: "test") { client in
                            let options = CallOptions(timeout: .minutes(4))
                            return try await client.call(EchoContract.echo, .init(text: "\(number)"), options).text
                        }
                    }
                }
                let answers = try await group.reduce(into: Set()) { $0.insert($1) }
                #expect(answers == Set((0..<Self.clients).map(String.init)))
            }
        }
    }

    /// Accepts a connection every few milliseconds, and echoes over each.
    private func withSlowListener(
        backlog: Int32, _ body: @Sendable @escaping (SocketPath) async throws -> Void
    ) async throws {
        let loop = LoopExecutor.separate().loop
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let listener = try await ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: backlog)
                .serverChannelOption(.autoRead, value: false)
                .serverChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(PlainEcho())
                    }
                }
                .bind(unixDomainSocketPath: path.description)
                .get()
            let accepting = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(3)) { _ in
                listener.read()
            }
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(path))
            } catch {
                outcome = .failure(error)
            }
            accepting.cancel()
            try await listener.close()
            try outcome.get()
        }
    }
}

/// A plain peer that answers each request with its parameters and does not implement `rpc.hello`.
private final class PlainEcho: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var decoder = FrameDecoder(limit: 1_000_000)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data))
        do {
            while let frame = try decoder.next() {
                guard case .single(let call) = try MessageParser.parse(frame.payload), case .to(let id) = call.answer,
                    case .request(let request) = call.content
                else { continue }
                let outcome =
                    request.method == ProtocolMethods.hello.name
                    ? #""error":{"code":-32601,"message":"no such method"}"# : #""result":\#(request.params)"#
                let answer = WirePeer.frame(#"{"jsonrpc":"2.0","id":\#(id.spelling),\#(outcome)}"#)
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil)
            }
        } catch {
            context.close(promise: nil)
        }
    }
}
