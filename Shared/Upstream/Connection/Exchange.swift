import NIOCore
import NIOHTTP1
import Timing

/// One request and its response. Runs on the event loop.
final class Exchange {
    /// The outcome of a request.
    enum Outcome {
        case response(UpstreamResponse)
        /// The connection was closed without a byte of a response. A server that closes a reused connection so has not
        /// processed the request.
        case unanswered
    }

    private let loop: any EventLoop
    private let clock: any MonotonicClock
    private let limits: UpstreamLimits
    private let outcome = Waiting<Outcome>()
    private var reader: ResponseReader
    private var timer: Scheduled<Void>?
    private var stallDeadline = NIODeadline.distantFuture

    init(_ reader: ResponseReader, limits: UpstreamLimits, on loop: any EventLoop, clock: any MonotonicClock) {
        self.reader = reader
        self.limits = limits
        self.loop = loop
        self.clock = clock
    }

    var hasHead: Bool { reader.hasHead }

    var partial: UpstreamResponse? { reader.partial }

    /// The outcome; nil while the response is not complete.
    var result: Result<Outcome, UpstreamError>? { outcome.result }

    /// Waits for the outcome.
    /// - Parameter close: closes the connection, which cannot be reused after an incomplete response.
    func value(within limit: TimeLimit, close: @escaping () -> Void) async throws(UpstreamError) -> Outcome {
        let firstByte = TimeLimit(.firstByte, limits.firstByteTime, on: clock)
        timer = clock.schedule(at: firstByte.deadline, on: loop) {
            self.fail(firstByte.error())
            close()
        }
        return try await outcome.value(
            within: limit, on: loop, partial: { self.reader.partial },
            whenLeft: {
                self.timer?.cancel()
                close()
            })
    }

    // MARK: Parts of the response

    func receive(_ head: HTTPResponseHead, close: @escaping () -> Void) throws(UpstreamError) {
        try reader.receive(head)
        guard hasHead else { return }
        timer?.cancel()
        progress()
        watchForStall(close)
    }

    /// - Returns: whether this ended the response although more bytes follow.
    func receive(_ bytes: ByteBuffer) throws(UpstreamError) -> Bool {
        progress()
        guard let response = try reader.receive(bytes) else { return false }
        end(.success(.response(response)))
        return true
    }

    /// - Returns: false for the end of an informational response.
    func receiveEnd() throws(UpstreamError) -> Bool {
        guard let response = try reader.end() else { return false }
        end(.success(.response(response)))
        return true
    }

    // MARK: Ends

    func fail(_ error: UpstreamError) { end(.failure(error)) }

    func end(_ result: Result<Outcome, UpstreamError>) {
        timer?.cancel()
        outcome.end(result)
    }

    // MARK: Stalls

    private func progress() { stallDeadline = clock.now(on: loop) + TimeAmount(limits.stallTime) }

    /// Runs one timer, rescheduled when it fires. A timer for each piece of the body would be too expensive.
    private func watchForStall(_ close: @escaping () -> Void) {
        timer = clock.schedule(at: stallDeadline, on: loop) {
            guard self.stallDeadline <= self.clock.now(on: self.loop) else { return self.watchForStall(close) }
            self.fail(.timedOut(.stall, limit: self.limits.stallTime, partial: self.reader.partial))
            close()
        }
    }
}
