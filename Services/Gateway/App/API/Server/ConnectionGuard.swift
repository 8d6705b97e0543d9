import Foundation
import NIOCore
import NIOHTTP1
import Timing

/// Decides when a connection ends. It is the handler after the parser:
///
/// - bytes that are not a valid request are answered with a problem, after the answers to earlier requests;
/// - only bodies of `POST` requests are read, up to the limit; after any other body the connection closes;
/// - when a client closes the connection, its requests are cancelled;
/// - a connection without a request is closed after the idle time, and at once when the server stops; but a client that has just
///   connected then may still send its request, because it would not try again;
/// - an answer is sent to its end before the connection closes, unless the client stops reading.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Sent down the pipeline when the drain time is over: close the connection at once.
    struct Abandon: Sendable {}

    private let budget: AnswerBudget
    private let metrics: HTTPMetrics
    private let clock: any MonotonicClock
    private let input: InputGate

    /// Whether the client has sent a request.
    private var hasRequest = false

    /// The version of the last request. One of HTTP/1.0 is the last of its connection.
    private var lastVersion = HTTPVersion.http1_1

    /// The number of requests that were forwarded and are not answered.
    private var unanswered = 0

    /// The number of answers that are not completely sent.
    private var unsent = 0

    /// The body that is being received.
    private var body: IncomingBody?

    /// Whether further input is discarded.
    private var discardsInput = false { didSet { input.isOpen = !discardsInput } }

    /// Whether the connection closes after the answers to the requests so far.
    private var isStopping = false

    /// The time of the last request or the end of the last answer.
    private var lastActivity = NIODeadline.distantPast
    private var idleCheck: Scheduled<Void>?

    /// The refusal to send after the answers to earlier requests.
    private var refusal: RequestRefusal?

    private var closing: EventLoopPromise<Void>?
    private var isWatching = false

    /// - Parameter input: the handler before the parser.
    init(_ input: InputGate, _ budget: AnswerBudget, _ metrics: HTTPMetrics, _ clock: any MonotonicClock) {
        self.input = input
        self.budget = budget
        self.metrics = metrics
        self.clock = clock
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !discardsInput else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let refusal = RequestRefusal(head) { return refuse(refusal, context) }
            hasRequest = true
            lastVersion = head.version
            unanswered += 1
            lastActivity = clock.now(on: context.eventLoop)
            if head.hasReadableBody {
                body = IncomingBody(isLast: head.isLast, isExpected: head.expectsContinue)
                if unanswered == 1 { sendContinue(context) }
                context.fireChannelRead(wrapInboundOut(.head(head.isLast ? head.asLast : head)))
            } else if head.isLast || head.hasBody {
                discardsInput = true
                context.fireChannelRead(wrapInboundOut(.head(head.asLast)))
                context.fireChannelRead(wrapInboundOut(.end(nil)))
            } else {
                context.fireChannelRead(data)
            }
        case .body(let bytes):
            body?.bytes.writeImmutableBuffer(bytes)
            body?.isExpected = false
            // The API sees one byte too many and rejects the request.
            if let body, body.bytes.readableBytes > HTTPLimits.bodyBytes {
                discardsInput = true
                forwardBody(context)
                context.fireChannelRead(wrapInboundOut(.end(nil)))
            }
        case .end:
            if body?.isLast == true { discardsInput = true }
            forwardBody(context)
            context.fireChannelRead(data)
        }
    }

    /// Forwards the body in one piece: a client may send each byte as a chunk, and a queued chunk costs much more than its byte.
    private func forwardBody(_ context: ChannelHandlerContext) {
        if let body, body.bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(.body(body.bytes)))
        }
        body = nil
    }

    /// A body that is being received.
    private struct IncomingBody {
        /// Whether the connection closes after the answer.
        let isLast: Bool

        /// Whether the client waits to be told to send it.
        var isExpected: Bool
        var bytes = ByteBuffer()
    }

    /// Tells a client that waits for it to send the body (RFC 9110 §10.1.1).
    private func sendContinue(_ context: ChannelHandlerContext) {
        guard body?.isExpected == true else { return }
        body?.isExpected = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let refusal = RequestRefusal(error) else { return context.fireErrorCaught(error) }
        if !discardsInput { refuse(refusal, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // A closed connection looks like a half-closed one. Clients that wait for an answer do not half-close.
        case ChannelEvent.inputClosed where unanswered > 0: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            isStopping = true
            guard !hasRequest else { return closeIfIdle(context) }
            clock.schedule(in: HTTPLimits.firstRequestTime, on: context.eventLoop) { self.closeIfIdle(context) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func closeIfIdle(_ context: ChannelHandlerContext) {
        if unanswered == 0 { close(context: context, mode: .all, promise: nil) }
    }

    private func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        discardsInput = true
        self.refusal = refusal
        // The request whose body is broken gets no other answer: nothing waits for the rest of its body.
        if body != nil {
            body = nil
            unanswered -= 1
        }
        if unanswered == 0 { sendRefusal(context) }
    }

    private func sendRefusal(_ context: ChannelHandlerContext) {
        guard let problem = refusal?.problem else { return }
        refusal = nil
        metrics.noteRefusal(problem.status, at: clock.now(on: context.eventLoop))
        var answer = HTTPAnswer(problem)
        answer.fields[.connection] = "close"
        answer.fields[.date] = HTTPDate.text(of: Date())
        let head = answer.head(for: .get)
        let fields = HTTPHeaders(head.headerFields.map { ($0.name.rawName, $0.value) })
        let status = HTTPResponseStatus(statusCode: problem.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))),
            promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Only the output is closed: with both directions closed, further input would cause a reset, which destroys the
        // answer.
        context.close(mode: .output, promise: nil)
        clock.schedule(in: HTTPLimits.lingerTime, on: context.eventLoop) { context.close(promise: nil) }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where unanswered == 1 && (discardsInput || isStopping):
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            // A client of HTTP/1.0 knows no chunks: the end of the connection is that of the answer (RFC 9112 §6.1).
            if lastVersion == .http1_0, head.status == .ok, !head.headers.contains(name: "Content-Length") {
                head.version = .http1_0
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head: context.write(data, promise: promise)
        case .body(let body):
            let written = promise ?? context.eventLoop.makePromise()
            if case .byteBuffer(let bytes) = body {
                budget.add(bytes)
                written.futureResult.whenComplete { [budget] _ in budget.release(bytes) }
            }
            context.write(data, promise: written)
        case .end:
            unanswered -= 1
            unsent += 1
            lastActivity = clock.now(on: context.eventLoop)
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { _ in self.sent(context) }
            context.write(data, promise: sent)
            // The answers to earlier requests are before it.
            if unanswered == 1 { sendContinue(context) }
            guard unanswered == 0 else { return }
            if refusal != nil {
                sendRefusal(context)
            } else if isStopping {
                context.flush()
                close(context: context, mode: .all, promise: nil)
            }
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, unsent > 0 else { return context.close(mode: mode, promise: promise) }
        if let closing { return closing.futureResult.cascade(to: promise) }
        closing = promise ?? context.eventLoop.makePromise()
        watch(context)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Abandon else { return context.triggerUserOutboundEvent(event, promise: promise) }
        context.close(promise: promise)
    }

    /// Handles the end of an answer: sent or failed.
    private func sent(_ context: ChannelHandlerContext) {
        unsent -= 1
        if unsent == 0, let closing { context.close(promise: closing) }
    }

    // MARK: Idle connections

    func handlerAdded(context: ChannelHandlerContext) {
        metrics.connectionOpened()
        lastActivity = clock.now(on: context.eventLoop)
        scheduleIdleCheck(context, at: lastActivity + HTTPLimits.idleTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        metrics.connectionClosed()
        idleCheck?.cancel()
    }

    private func scheduleIdleCheck(_ context: ChannelHandlerContext, at end: NIODeadline) {
        idleCheck = clock.schedule(at: end, on: context.eventLoop) { self.checkIdleness(context) }
    }

    private func checkIdleness(_ context: ChannelHandlerContext) {
        let isWaitingForClient = unanswered == 0 || body != nil
        let now = clock.now(on: context.eventLoop)
        let end = (isWaitingForClient ? lastActivity : now) + HTTPLimits.idleTime
        guard end <= now else { return scheduleIdleCheck(context, at: end) }
        close(context: context, mode: .all, promise: nil)
    }

    // MARK: Clients that stop reading

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !context.channel.isWritable { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection when no unsent byte is sent for `stallTime`.
    private func watch(_ context: ChannelHandlerContext) {
        guard !isWatching else { return }
        isWatching = true
        look(context, again: waiting(context))
    }

    private func look(_ context: ChannelHandlerContext, again before: Int) {
        clock.schedule(in: HTTPLimits.stallTime, on: context.eventLoop) { [self] in
            let now = waiting(context)
            if now == 0 || !context.channel.isActive {
                isWatching = false
            } else if now < before {
                look(context, again: now)
            } else {
                context.close(promise: nil)
            }
        }
    }

    private func waiting(_ context: ChannelHandlerContext) -> Int {
        // A channel without this option buffers nothing.
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

extension HTTPRequestHead {
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }

    /// Whether the request announces a body that is read: one of `POST`, of unknown size or within the limit.
    fileprivate var hasReadableBody: Bool {
        guard method == .POST, hasBody else { return false }
        return headers["content-length"].allSatisfy { Int($0).map { $0 <= HTTPLimits.bodyBytes } ?? false }
    }

    fileprivate var expectsContinue: Bool {
        version == .http1_1 && expectations.contains(Self.continuation)
    }

    /// Whether the connection must close after the answer. HTTP/1.0 clients expect a confirmation to continue, and the
    /// parser treats bytes after an `Upgrade` as another protocol.
    fileprivate var isLast: Bool { !isKeepAlive || version == .http1_0 || headers.contains(name: "upgrade") }

    /// The same head with `Connection: close`, so that the connection closes after the answer.
    fileprivate var asLast: HTTPRequestHead {
        var head = self
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }
}
