import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import RPC
import Timing

/// Answers the requests of a connection, one after the other.
struct HTTPConnection: Sendable {
    typealias Parts = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let api: API
    let log: RequestLog
    let clock: any MonotonicClock
    let logger: Logger

    /// Builds the pipeline of an accepted connection.
    static func setUp(
        _ channel: any Channel, _ budget: AnswerBudget, _ metrics: HTTPMetrics, _ clock: any MonotonicClock,
        _ unserved: UnservedConnections
    ) -> EventLoopFuture<Parts> {
        channel.eventLoop.makeCompletedFuture {
            var decoding = NIOHTTPDecoderLimitConfiguration()
            decoding.maxHeaderFieldSize = HTTPLimits.fieldBytes
            decoding.maxHeaderListSize = HTTPLimits.headBytes
            decoding.maxHeaderFieldCount = HTTPLimits.fields
            let pipeline = channel.pipeline.syncOperations
            let input = InputGate()
            try pipeline.addHandler(input)
            // Pipelined requests wait in the channel, the guard answers parse errors, and HTTPTypes validates the fields of
            // answers.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
            try pipeline.addHandlers(
                ConnectionGuard(input, budget, metrics, clock), HTTP1ToHTTPServerCodec(secure: false))
            return try unserved.add(channel) {
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            }
        }
    }

    /// Serves until the connection is closed, which cancels the request in progress.
    func serve(_ parts: Parts) async {
        let channel = parts.channel
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        channel.closeFuture.whenComplete { _ in end.finish() }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await answerAll(parts) }
                for await _ in ended {}
                group.cancelAll()
            }
        } onCancel: {
            channel.triggerUserOutboundEvent(ConnectionGuard.Abandon(), promise: nil)
        }
    }

    private func answerAll(_ parts: Parts) async {
        do {
            try await parts.executeThenClose { requests, answers in
                var requests = requests.makeAsyncIterator()
                while let part = try await requests.next() {
                    guard case .head(let request) = part else { continue }
                    var body = ByteBuffer()
                    var next = try await requests.next()
                    // The guard limits bodies, and passes on only those that are read.
                    while case .body(let bytes)? = next {
                        body.writeImmutableBuffer(bytes)
                        next = try await requests.next()
                    }
                    // Without its end a body is only the beginning of what was sent.
                    guard case .end? = next else { break }
                    try await answer(request, body, parts.channel, answers)
                    if request.headerFields[.connection] == "close" { break }
                }
                // The client closes the other direction, or the connection becomes idle.
                answers.finish()
                try await parts.channel.closeFuture.get()
            }
        } catch {
            logger.trace("an HTTP connection failed: \(error)")
        }
    }

    private func answer(
        _ request: HTTPRequest, _ body: ByteBuffer, _ channel: any Channel,
        _ answers: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        let trace = api.trace(of: request)
        let caller = HTTPCaller(request, from: channel.remoteAddress)
        var observation = HTTPObservation(request, trace, caller, at: clock.now)
        api.metrics.requestBegan()
        defer {
            let now = clock.now
            observation.end(at: now)
            log.note(observation)
            api.metrics.note(observation, at: now)
        }
        var answer = await CallTimes.$current.withValue(observation.calls) {
            await api.answer(request, body: body, trace, for: caller)
        }
        observation.note(answer)
        let admitted = api.budget.admit(answer.body, tag: answer.representationTag)
        if let admitted {
            answer.body = admitted
        } else {
            answer = HTTPAnswer(AnswerBudget.overloaded, trace: trace)
        }
        defer { if let admitted { api.budget.release(admitted) } }
        // A request that is cancelled has no answer.
        try Task.checkCancellation()
        observation.begin(answer, at: clock.now)
        if caller == .local { answer.fields["Server-Timing"] = observation.serverTiming }
        if let events = answer.events, request.method != .head {
            try await answers.write(.head(answer.head(for: request.method)))
            try await events.send { text in
                try await answers.write(.body(text))
                observation.sent(text.readableBytes)
            }
            return try await answers.write(.end(nil))
        }
        // Past the asynchronous writer, which costs as much as the rest of a short answer. The answer is sent in one write, and
        // the next request waits until the client has taken it.
        channel.write(HTTPResponsePart.head(answer.head(for: request.method)), promise: nil)
        if request.method != .head, answer.body.readableBytes > 0 {
            channel.write(HTTPResponsePart.body(answer.body), promise: nil)
        }
        try await channel.writeAndFlush(HTTPResponsePart.end(nil)).get()
        if request.method != .head { observation.sent(answer.body.readableBytes) }
    }
}
