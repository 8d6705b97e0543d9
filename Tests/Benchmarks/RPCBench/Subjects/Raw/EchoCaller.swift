import BenchKit
import NIOCore
import NIOPosix
import RPC

/// Calls the bare echo from one event loop.
enum EchoCaller {
    static func measure(_ load: Load, socket: String) async throws -> Measurement {
        // The very first call, whose answer is timed separately.
        _ = try await call(Load(replyBytes: load.replyBytes), Period(Load(), tallies: 1), socket)
        let firstAnswer = WallClock.now()
        let period = Period(load, tallies: load.connections)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for _ in 0..<load.connections { group.addTask { try await call(load, period, socket) } }
            return try await group.reduce(into: Tally(period)) { $0.add($1) }
        }
        return Measurement(tally, firstAnswer: firstAnswer)
    }

    /// Runs one connection's share of the concurrent calls.
    private static func call(_ load: Load, _ period: Period, _ path: String) async throws -> Tally {
        let loop = LoopExecutor.shared.loop
        let done = loop.makePromise(of: Tally.self)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Requester(load, period, done))
                }
            }
            .connect(unixDomainSocketPath: path)
            .get()
        let tally = try await done.futureResult.get()
        try await channel.close()
        return tally
    }
}

private final class Requester: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: ByteBuffer
    private let replyBytes: Int
    private let underWay: Int
    private let done: EventLoopPromise<Tally>
    private var tally: Tally
    private var starts = CircularBuffer<Int64>()
    private var received = 0

    init(_ load: Load, _ period: Period, _ done: EventLoopPromise<Tally>) {
        request = ByteBuffer(bytes: RawRequest.bytes(askingFor: load.replyBytes))
        replyBytes = load.replyBytes
        underWay = load.underWay / load.connections
        self.done = done
        tally = Tally(period)
    }

    func channelActive(context: ChannelHandlerContext) {
        let now = MonotonicTime.now()
        for _ in 0..<underWay { send(context, now) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        let now = MonotonicTime.now()
        while received >= replyBytes, let start = starts.popFirst() {
            received -= replyBytes
            if tally.add(from: start, to: now) { send(context, now) }
        }
        if starts.isEmpty { done.succeed(tally) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func channelInactive(context: ChannelHandlerContext) { done.fail(ChannelError.eof) }

    private func send(_ context: ChannelHandlerContext, _ now: Int64) {
        starts.append(now)
        context.write(wrapOutboundOut(request), promise: nil)
    }
}
