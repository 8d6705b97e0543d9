import NIOCore
import NIOHTTP1

/// One request and what comes of it. Lives on the event loop.
final class Exchange {
    /// What a request has come to.
    enum Outcome {
        case response(UpstreamResponse)
        /// The connection was closed without a byte of an answer: on one that was kept, the server had not heard the
        /// request.
        case unanswered
    }

    private let loop: any EventLoop
    private let limits: UpstreamLimits
    private let outcome = Waiting<Outcome>()
    private var reader: ResponseReader
    private var timer: Scheduled<Void>?
    private var stallDeadline = NIODeadline.distantFuture

    init(_ reader: ResponseReader, limits: UpstreamLimits, on loop: any EventLoop) {
        self.reader = reader
        self.limits = limits
        self.loop = loop
    }

    var hasHead: Bool { reader.hasHead }

    var partial: UpstreamResponse? { reader.partial }

    /// What the request has come to so far; nil while its response is not complete.
    var result: Result<Outcome, UpstreamError>? { outcome.result }

    /// - Parameter close: of the connection, which is of no use any more when the response has not come to its end.
    func value(within limit: TimeLimit, close: @escaping () -> Void) async throws(UpstreamError) -> Outcome {
        let firstByte = TimeLimit(.firstByte, limits.firstByteTime)
        timer = loop.schedule(at: firstByte.deadline) {
            self.fail(firstByte.error())
            close()
        }
        return try await outcome.value(
            until: limit.deadline, on: loop,
            error: { $0 == .cancelled ? .cancelled : limit.error(partial: self.reader.partial) },
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

    /// - Returns: whether the response was ended here, though more of it comes.
    func receive(_ bytes: ByteBuffer) throws(UpstreamError) -> Bool {
        progress()
        guard let response = try reader.receive(bytes) else { return false }
        end(.success(.response(response)))
        return true
    }

    /// - Returns: whether that was the end of the response.
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

    private func progress() { stallDeadline = .now() + TimeAmount(limits.stallTime) }

    /// One timer, moved when it is due: one per piece would cost more than the piece.
    private func watchForStall(_ close: @escaping () -> Void) {
        timer = loop.schedule(at: stallDeadline) {
            guard self.stallDeadline <= .now() else { return self.watchForStall(close) }
            self.fail(.timedOut(.stall, limit: self.limits.stallTime, partial: self.reader.partial))
            close()
        }
    }
}
