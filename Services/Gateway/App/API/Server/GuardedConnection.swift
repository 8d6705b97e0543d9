import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import RPC

/// A connection as Hummingbird handles it, with a `ConnectionGuard`.
struct GuardedConnection: Sendable {
    private let http: HTTP1Channel

    init(_ api: API, _ log: RequestLog) {
        let budget = api.budget
        http = HTTP1Channel(responder: { request, writer, _ in
            let (trace, start) = (api.trace(of: request.head), log.start())
            var answer = await api.answer(request.head, trace)
            let admitted = budget.admit(answer.body, tag: answer.representationTag)
            if let admitted {
                answer.body = admitted
            } else {
                answer = HTTPAnswer(AnswerBudget.overloaded, trace: trace)
            }
            defer { if let admitted { budget.release(admitted) } }
            log.note(request.head, answer, trace, since: start)
            let hasNoBody = request.method == .head || answer.body.readableBytes == 0
            try await writer.write(
                response: answer.head(for: request.method),
                body: hasNoBody ? ResponseBody() : ResponseBody(byteBuffer: answer.body))
        })
    }

    /// Builds the pipeline of an accepted connection.
    static func setUp(
        _ channel: any Channel, _ limits: HTTPLimits, _ budget: AnswerBudget, _ logger: Logger
    ) -> EventLoopFuture<HTTPListener.Connection> {
        let http = HTTP1Channel(
            // A placeholder: connections can be accepted before the API exists.
            responder: { _, _, _ in },
            configuration: HTTP1Channel.Configuration(
                idleTimeout: limits.idleTime,
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: limits.fieldBytes, maxHeaderListSize: limits.headBytes,
                    maxHeaderFieldCount: limits.fields)))
        return http.setup(channel: channel, logger: logger).flatMapThrowing { connection in
            let pipeline = channel.pipeline.syncOperations
            // After the parser, where the HTTP version and parse errors are still visible.
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(ConnectionGuard(limits, budget), position: .before(codec))
            return connection
        }
    }

    /// Answers the requests of a connection one after the other. When the connection closes, the request in progress is
    /// cancelled.
    func handle(_ connection: HTTPListener.Connection, _ logger: Logger) async {
        let channel = connection.channel
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        channel.closeFuture.whenComplete { _ in end.finish() }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await http.handle(value: connection, logger: logger) }
                for await _ in ended {}
                group.cancelAll()
            }
        } onCancel: {
            channel.triggerUserOutboundEvent(ConnectionGuard.Abandon(), promise: nil)
        }
    }
}
