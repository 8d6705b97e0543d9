import Foundation
import NIOCore
import NIOPosix

/// The terminal of this process in raw mode: keys arrive at once, and are not echoed.
struct RawTerminal: Sendable {
    /// The maximum number of waiting inputs. Of more, the newest remain: a key to quit is never lost behind others.
    static let mostInputs = 256

    let writer: TerminalWriter

    /// The settings of before.
    private let saved: termios

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
    static func run<Result: Sendable>(
        entering: String, leaving: String, _ body: (RawTerminal, AsyncStream<Input>) async throws -> Result
    ) async throws -> Result {
        var saved = termios()
        guard tcgetattr(STDIN_FILENO, &saved) == 0 else { throw Failure.system }
        // Opened again, because other programs share the flags of the open file. The channel takes one descriptor.
        let writing = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard writing >= 0 else { throw Failure.system }
        defer { close(writing) }
        let reading = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard reading >= 0 else { throw Failure.system }
        let (inputs, sink) = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingNewest(mostInputs))
        let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(InputHandler(sink))
                }
            }
            .takingOwnershipOfDescriptor(input: reading).get()
        let terminal = RawTerminal(writer: TerminalWriter(descriptor: writing), saved: saved)
        terminal.enter()
        let result: Swift.Result<Result, any Error>
        do {
            try await terminal.writer.write(entering)
            result = .success(try await body(terminal, inputs))
        } catch {
            result = .failure(error)
        }
        terminal.writer.writeLast(leaving)
        terminal.leave()
        // The terminal may have closed it.
        try? await channel.close()
        return try result.get()
    }

    /// Stops this process, as Ctrl-Z does outside of raw mode, until the shell continues it.
    func suspend(entering: String, leaving: String) async throws {
        writer.writeLast(leaving)
        leave()
        // To this thread, so that the process has stopped and continued when `raise` returns. Threads of tasks block the signal.
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        enter()
        try await writer.write(entering)
    }

    private func enter() {
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    /// Discards what was typed and not read, which is not meant for the shell.
    private func leave() {
        var saved = saved
        tcflush(STDIN_FILENO, TCIFLUSH)
        // Not after the output, which a terminal that does not read would block.
        tcsetattr(STDIN_FILENO, TCSANOW, &saved)
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
