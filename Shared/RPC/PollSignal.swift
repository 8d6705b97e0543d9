import Glibc
import NIOCore
import NIOPosix

/// Wakes an event loop after it has polled its sockets.
///
/// NIO runs all due tasks, including those that become due meanwhile, before it polls its selector. So neither `execute`
/// nor a delay makes it poll: the delay may be over before NIO looks at it, on a slow machine every time. Only polling
/// finds the byte that this sends to the loop through a pair of sockets.
struct PollSignal: Sendable {
    private let writing: CInt

    /// - Parameters:
    ///   - wake: runs on the loop after polling, for each `send`.
    ///   - end: runs on the loop when the loop shuts down. `send` must not be called afterwards.
    /// - Returns: nil for an event loop without sockets.
    init?(_ loop: any EventLoop, wake: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
        guard let bootstrap = ClientBootstrap(validatingGroup: loop) else { return nil }
        var ends: [CInt] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let result = socketpair(AF_UNIX, CInt(type), 0, &ends)
        precondition(result == 0, "no sockets for an event loop: \(String(cString: strerror(errno)))")
        let (reading, writing) = (ends[0], ends[1])
        self.writing = writing
        bootstrap
            // With more, a byte that `wake` sends would be read before the loop polls the other sockets.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Reader(
                            wake: wake,
                            end: {
                                end()
                                close(writing)
                            }))
                }
            }
            .withConnectedSocket(reading)
            .whenFailure { preconditionFailure("no sockets for an event loop: \($0)") }
    }

    /// At most one may be on its way, so that the socket is never full.
    func send() {
        var byte: UInt8 = 1
        let written = Glibc.send(writing, &byte, 1, CInt(MSG_NOSIGNAL))
        // The loop closes its end while it shuts down, a moment before `end`. Then there are no more turns.
        precondition(
            written == 1 || errno == EPIPE, "the socket of an event loop failed: \(String(cString: strerror(errno)))")
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let wake: () -> Void
        private let end: () -> Void

        init(wake: @escaping () -> Void, end: @escaping () -> Void) {
            self.wake = wake
            self.end = end
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { wake() }

        func channelInactive(context: ChannelHandlerContext) {
            end()
            context.fireChannelInactive()
        }
    }
}
