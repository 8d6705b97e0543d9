import NIOCore
import NIOHTTP1
import Timing

/// A connection to one origin, for one request at a time. Runs on the event loop.
final class HTTPConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum State {
        /// No request is sent. Any received part is an error.
        case idle
        case busy(Exchange)
        /// The response is complete. The connection is idle once all bytes of this read are parsed, if no part follows.
        case answered
        case closed
    }

    let origin: Origin
    let channel: any Channel
    private let clock: any MonotonicClock
    private let limits: UpstreamLimits
    private let meter: WireMeter
    private let expiry: NIODeadline
    private var state = State.idle
    private var keepsAlive = false

    /// Called when the connection is idle again, and when it is closed. They receive the connection as an argument, so that
    /// they need not retain it.
    private let whenFree: (HTTPConnection) -> Void
    private let whenClosed: (HTTPConnection) -> Void

    /// The bytes of overhead, such as chunk sizes, that each byte of a body allows. Chunks of one byte have five.
    private static let overheadPerByte = 8

    private init(
        to origin: Origin, on channel: any Channel, clock: any MonotonicClock, limits: UpstreamLimits,
        meter: WireMeter,
        whenFree: @escaping (HTTPConnection) -> Void, whenClosed: @escaping (HTTPConnection) -> Void
    ) {
        self.origin = origin
        self.channel = channel
        self.clock = clock
        self.limits = limits
        self.meter = meter
        self.whenFree = whenFree
        self.whenClosed = whenClosed
        expiry = clock.now(on: channel.eventLoop) + TimeAmount(limits.connectionAge)
    }

    /// Takes over a connected channel that does not read yet. For https, its TLS handshake is complete.
    static func begin(
        to origin: Origin, on channel: any Channel, clock: any MonotonicClock, limits: UpstreamLimits,
        whenFree: @escaping (HTTPConnection) -> Void, whenClosed: @escaping (HTTPConnection) -> Void
    ) throws(UpstreamError) -> HTTPConnection {
        let meter = WireMeter()
        let connection = HTTPConnection(
            to: origin, on: channel, clock: clock, limits: limits, meter: meter, whenFree: whenFree,
            whenClosed: whenClosed)
        var parserLimits = NIOHTTPDecoderLimitConfiguration()
        parserLimits.maxHeaderFieldSize = limits.headerBytes
        parserLimits.maxHeaderListSize = limits.headerBytes
        parserLimits.maxHeaderFieldCount = limits.headerCount
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward,
            limitConfiguration: parserLimits)
        do {
            try channel.pipeline.syncOperations.addHandlers([
                meter, HTTPRequestEncoder(), ByteToMessageHandler(decoder), connection,
            ])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.close(promise: nil)
            throw .interrupted(partial: nil, reason: "the connection was closed at once")
        }
        return connection
    }

    /// Whether the connection can be used for another request.
    var isUsable: Bool { isIdle && expiry > clock.now(on: channel.eventLoop) }

    private var isIdle: Bool { if case .idle = state { channel.isActive } else { false } }

    func close() { channel.close(promise: nil) }

    // MARK: Request

    /// Sends a request and waits for its response.
    /// - Returns: `unanswered` also when the connection is busy or closed.
    func exchange(
        _ head: HTTPRequestHead, _ reader: ResponseReader, within limit: TimeLimit
    ) async throws(UpstreamError) -> Exchange.Outcome {
        guard let exchange = send(head, reader) else { return .unanswered }
        return try await exchange.value(within: limit) { self.close() }
    }

    /// Sends a request.
    /// - Returns: the exchange, whose response the caller awaits; nil when the connection is busy or closed.
    func send(_ head: HTTPRequestHead, _ reader: ResponseReader) -> Exchange? {
        guard isIdle else { return nil }
        let exchange = Exchange(reader, limits: limits, on: channel.eventLoop, clock: clock)
        state = .busy(exchange)
        // Twice the limit, because the parser itself limits names and values exactly. This allowance covers the rest.
        meter.begin(allowance: 2 * limits.headerBytes + UpstreamLimits.discardedBytes)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return exchange
    }

    // MARK: Response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .busy(let exchange) = state else { return close() }
        do throws(UpstreamError) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                keepsAlive = head.isKeepAlive
                try exchange.receive(head) { self.close() }
            case .body(let bytes):
                meter.allow(bytes.readableBytes * Self.overheadPerByte)
                guard try exchange.receive(bytes) else { return }
                state = .closed
                close()
            case .end:
                if try exchange.receiveEnd() { state = .answered }
            }
        } catch {
            state = .closed
            exchange.fail(error)
            close()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard case .answered = state else { return }
        state = .idle
        if keepsAlive, isUsable { whenFree(self) } else { close() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .busy(let exchange) = state { exchange.end(outcome(of: error, in: exchange)) }
        state = .closed
        close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .busy(let exchange) = state { exchange.end(outcome(of: HTTPParserError.invalidEOFState, in: exchange)) }
        state = .closed
        whenClosed(self)
    }

    private func outcome(of error: any Error, in exchange: Exchange) -> Result<Exchange.Outcome, UpstreamError> {
        switch error {
        case is WireMeter.Excess, HTTPParserError.headerOverflow:
            return .failure(
                exchange.hasHead
                    ? .malformed("it has more overhead than content") : .tooLarge(.header, limit: limits.headerBytes))
        case let error as HTTPParserError where error != .invalidEOFState: return .failure(.malformed("\(error)"))
        case is NIOHTTPDecoderError: return .failure(.malformed("\(error)"))
        default:
            if meter.received == 0 { return .success(.unanswered) }
            let reason = error is HTTPParserError ? "the server closed the connection" : "\(error)"
            return .failure(.interrupted(partial: exchange.partial, reason: reason))
        }
    }
}
