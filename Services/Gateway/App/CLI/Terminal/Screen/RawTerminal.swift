import Foundation
import NIOCore
import NIOPosix

/// The terminal of this process in raw mode: keys arrive at once, and are not echoed.
struct RawTerminal: Sendable {
    let output: Output

    struct Failure: Error, CustomStringConvertible {
        let description: String

        fileprivate static var system: Failure {
            Failure(description: "cannot use the terminal: \(String(cString: strerror(errno)))")
        }
    }

    /// Runs `body` in raw mode, and leaves the terminal as it was.
    /// - Parameters:
    ///   - entering: what to write first, for example to enter the alternate screen.
    ///   - leaving: what to write at the end.
    ///   - body: gets the inputs, which end when the terminal is closed.
    func run<Result: Sendable>(
        entering: String, leaving: String, _ body: (AsyncStream<Input>) async throws -> Result
    ) async throws -> Result {
        var saved = termios()
        guard tcgetattr(STDIN_FILENO, &saved) == 0 else { throw Failure.system }
        // Opened again, because the event loop sets flags of the open file, which other programs share.
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Failure.system }
        let (inputs, sink) = AsyncStream.makeStream(of: Input.self)
        let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(InputHandler(sink))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        enter(saved)
        output.write(Array(entering.utf8))
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(inputs)) } catch { result = .failure(error) }
        output.write(Array(leaving.utf8))
        leave(saved)
        // The terminal may have closed it.
        try? await channel.close()
        return try result.get()
    }

    /// Stops this process, as Ctrl-Z does outside of raw mode, until the shell continues it.
    func suspend(entering: String, leaving: String) {
        var raw = termios()
        guard tcgetattr(STDIN_FILENO, &raw) == 0 else { return }
        var usual = raw
        usual.c_lflag |= tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        usual.c_iflag |= tcflag_t(ICRNL | IXON)
        usual.c_oflag |= tcflag_t(OPOST)
        output.write(Array(leaving.utf8))
        leave(usual)
        // To this thread, so that the process has stopped and continued when `raise` returns. Threads of tasks block the signal.
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        enter(raw)
        output.write(Array(entering.utf8))
    }

    private func enter(_ saved: termios) {
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    }

    /// Discards what was typed and not read, which is not meant for the shell.
    private func leave(_ saved: termios) {
        var saved = saved
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }
}

/// Parses the bytes of the terminal on its event loop.
private final class InputHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// How long an escape byte waits for the rest of a sequence before it is the escape key.
    private static let escapeTime = TimeAmount.milliseconds(50)

    private let sink: AsyncStream<Input>.Continuation
    private var parser = InputParser()
    private var timer: Scheduled<Void>?
    private var silence: Scheduled<Void>?

    init(_ sink: AsyncStream<Input>.Continuation) { self.sink = sink }

    func channelActive(context: ChannelHandlerContext) {
        let sink = sink
        silence = context.eventLoop.scheduleTask(in: TimeAmount(TerminalAnswers.patience)) {
            _ = sink.yield(.answer(.silence))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer?.cancel()
        yield(parser.parse(unwrapInboundIn(data).readableBytesView))
        guard parser.isWaiting else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.escapeTime) {
            self.yield(self.parser.flush())
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        silence?.cancel()
        sink.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func yield(_ inputs: [Input]) {
        for input in inputs { sink.yield(input) }
    }
}
