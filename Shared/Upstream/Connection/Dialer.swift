import Glibc
import NIOCore
import NIOPosix
import Timing

/// Opens one connection to the first of several addresses that answers (RFC 8305). It tries them in order: the next attempt
/// starts when one fails, or beside it after `attemptDelay`. Use it once. Runs on the event loop.
final class Dialer {
    private let loop: any EventLoop
    private let origin: Origin
    private let limit: TimeLimit
    private var untried: ArraySlice<IPAddress>
    private let outcome = Waiting<any Channel>()

    /// The channels of running attempts, closed when another attempt succeeds or the request ends.
    private var attempts: [ObjectIdentifier: any Channel] = [:]
    private var attemptsUnderWay = 0
    private var isOver = false
    private var patience: Scheduled<Void>?

    /// - Parameter addresses: the checked addresses. The dialer connects to no others.
    init(_ addresses: [IPAddress], of origin: Origin, on loop: any EventLoop, within limit: TimeLimit) {
        self.loop = loop
        self.origin = origin
        self.limit = limit
        untried = addresses.prefix(UpstreamLimits.addressesTried)
    }

    /// - Returns: a channel that does not read yet, so that no bytes arrive before its handlers are in place.
    func connect() async throws(UpstreamError) -> any Channel {
        tryNext()
        return try await outcome.value(within: limit, on: loop) { self.stop() }
    }

    private func tryNext() {
        patience?.cancel()
        guard !isOver, let address = untried.popFirst() else { return }
        attemptsUnderWay += 1
        patience = limit.clock.schedule(in: TimeAmount(UpstreamLimits.attemptDelay), on: loop) { self.tryNext() }
        let dialer = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // The caller's time limit applies instead.
            .connectTimeout(.hours(24))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try dialer.value.note(channel) }
            }
            .connect(to: address.socketAddress(port: origin.port))
            .assumeIsolated()
            .whenComplete { self.attemptEnded($0) }
    }

    private func note(_ channel: any Channel) throws {
        guard !isOver else { throw ChannelError.ioOnClosedChannel }
        let id = ObjectIdentifier(channel)
        attempts[id] = channel
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.attempts[id] = nil }
    }

    private func attemptEnded(_ result: Result<any Channel, any Error>) {
        attemptsUnderWay -= 1
        switch result {
        case .success(let channel):
            attempts[ObjectIdentifier(channel)] = nil
            stop()
            if !outcome.end(.success(channel)) { channel.close(promise: nil) }
        case .failure(let error):
            guard !isOver else { return }
            if attemptsUnderWay == 0, untried.isEmpty {
                stop()
                outcome.end(.failure(.unreachable(host: "\(origin.endpoint)", reason: Self.reason(error))))
            } else {
                tryNext()
            }
        }
    }

    private func stop() {
        isOver = true
        patience?.cancel()
        for channel in attempts.values { channel.close(promise: nil) }
        attempts.removeAll()
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        default: "\(error)"
        }
    }
}
