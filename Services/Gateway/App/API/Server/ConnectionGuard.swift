import Foundation
import NIOCore
import NIOHTTP1

/// Stands between the parser and Hummingbird's handling of a connection, for what that leaves open:
///
/// - bytes that are no request are answered with a problem, after the requests before them;
/// - the body of a request is never read, since none has one that we want;
/// - a client that goes away ends what is done for it;
/// - an answer is sent to its end before the connection closes, unless its reader has fallen asleep.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Sent down the pipeline: the time to drain is over, close whatever is on its way.
    struct Abandon: Sendable {}

    private let limits: HTTPLimits
    private let budget: AnswerBudget

    /// Requests that were passed on and are not answered.
    private var unanswered = 0

    /// Answers that are not with the kernel yet.
    private var unsent = 0

    /// Nothing that comes from now on is looked at.
    private var isDeaf = false

    private var isStopping = false

    /// What is answered once the requests before it are.
    private var refusal: RequestRefusal?

    private var closing: EventLoopPromise<Void>?
    private var isWatching = false

    init(_ limits: HTTPLimits, _ budget: AnswerBudget) {
        self.limits = limits
        self.budget = budget
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDeaf else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let refusal = RequestRefusal(head) { return refuse(refusal, context) }
            unanswered += 1
            guard head.isLast || head.hasBody else { return context.fireChannelRead(data) }
            isDeaf = true
            context.fireChannelRead(wrapInboundOut(.head(head.asLast)))
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        case .body, .end: context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let refusal = RequestRefusal(error) else { return context.fireErrorCaught(error) }
        if !isDeaf { refuse(refusal, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // A client that has closed looks like one that only sends no more. Whoever waits for an answer keeps both open.
        case ChannelEvent.inputClosed where unanswered > 0: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            isStopping = true
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        isDeaf = true
        self.refusal = refusal
        if unanswered == 0 { sendRefusal(context) }
    }

    private func sendRefusal(_ context: ChannelHandlerContext) {
        guard let problem = refusal?.problem else { return }
        refusal = nil
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
        // Closed for both directions at once, what still comes would tear down the answer with it.
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.lingerTime) { context.close(promise: nil) }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where unanswered == 1 && (isDeaf || isStopping):
            head.headers.replaceOrAdd(name: "Connection", value: "close")
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
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { _ in self.sent(context) }
            context.write(data, promise: sent)
            if unanswered == 0 { sendRefusal(context) }
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

    /// An answer has gone out, or never will.
    private func sent(_ context: ChannelHandlerContext) {
        unsent -= 1
        if unsent == 0, let closing { context.close(promise: closing) }
    }

    // MARK: Clients that do not read

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !context.channel.isWritable { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection when nothing of what waits to be sent is taken for `stallTime`.
    private func watch(_ context: ChannelHandlerContext) {
        guard !isWatching else { return }
        isWatching = true
        look(context, again: waiting(context))
    }

    private func look(_ context: ChannelHandlerContext, again before: Int) {
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.stallTime) { [self] in
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
        // A channel without this option has nothing of its own that waits.
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

extension HTTPRequestHead {
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }

    /// Whether it is answered as the last: an older client that wants to keep the connection would have to be told that it
    /// may, and the parser takes what follows an `Upgrade` for another protocol.
    fileprivate var isLast: Bool { !isKeepAlive || version == .http1_0 || headers.contains(name: "upgrade") }

    /// Told to Hummingbird in the words that it knows.
    fileprivate var asLast: HTTPRequestHead {
        var head = self
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }
}
