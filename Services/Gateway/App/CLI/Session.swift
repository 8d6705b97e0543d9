import Foundation
import GatewayContract
import JSON
import NIOCore
import Presentation
import RPC
import Timing

/// The connection of a command, with its options.
struct Session: Sendable {
    let output: Output
    let asJSON: Bool

    /// The user's language preference, which the gateway negotiates.
    let locale: String?

    /// Measures times and pauses of the command.
    let clock: any MonotonicClock

    private let client: RPCClient
    private let timeout: Double
    private let trace: TraceContext

    /// Whether to report every call to standard error.
    private let isVerbose: Bool

    /// Streams end with the command's timeout, if it is set.
    private let streamOptions: CallOptions

    /// - Parameter trace: the trace context of all calls of the command.
    init(
        _ client: RPCClient, _ options: ClientOptions, _ output: Output, _ trace: TraceContext,
        clock: any MonotonicClock = .system
    ) {
        self.client = client
        self.clock = clock
        self.output = output
        asJSON = options.json
        isVerbose = options.verbose
        locale = options.preferredLocale()
        timeout = options.timeout ?? ClientOptions.defaultTimeout
        self.trace = trace
        streamOptions =
            options.timeout.map { CallOptions(until: clock.now + .nanoseconds(Int64($0 * 1e9)), trace: trace) }
            ?? .endless(trace: trace)
    }

    var language: Language { Language(locale) }

    /// - Parameter timeout: in seconds; nil for the timeout of the command line.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, timeout: Double? = nil
    ) async throws(RPCError) -> Answer {
        try await reported(method.name) { () throws(RPCError) in
            try await client.call(method, params, options(timeout))
        }
    }

    func call(_ method: String, _ params: RawJSON) async throws(RPCError) -> RawJSON {
        try await reported(method) { () throws(RPCError) in try await client.call(method, params, options(nil)) }
    }

    /// Passes the items of a stream to `take`, until the stream ends.
    func items(
        of method: String, _ params: RawJSON, _ take: (RawJSON) throws -> Void
    ) async throws {
        if isVerbose { output.note(CallReport(method: method, traceID: trace.id)) }
        try await client.withStream(method, Payload(params), streamOptions) { items in
            for try await item in items { try take(item.json) }
        }
    }

    /// Whether the timeout of streams has not expired yet.
    var hasTimeForStreams: Bool { streamOptions.deadline > clock.now }

    /// Calls a method and prints its answer: as JSON with --json, otherwise as `text`.
    func show<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ text: (Answer) -> String
    ) async throws -> Answer {
        let result = try await call(method.name, RawJSON(params, as: method.params))
        let answer = try result.read(as: method.answer)
        if asJSON { output.print(result) } else { output.print(text(answer)) }
        return answer
    }

    /// Reports a part of an answer that is missing because its service failed.
    func complain(about problem: ProblemViewModel) {
        output.complain(problem.message)
        if let id = trace.id { output.say(Texts(language).text(.traceHint, id)) }
    }

    private func options(_ timeout: Double?) -> CallOptions {
        CallOptions(timeout: .nanoseconds(Int64((timeout ?? self.timeout) * 1e9)), trace: trace)
    }

    /// The time since an earlier one of the clock.
    func time(since start: NIODeadline) -> Duration { .nanoseconds((clock.now - start).nanoseconds) }

    private func reported<Answer>(
        _ method: String, _ call: () async throws(RPCError) -> Answer
    ) async throws(RPCError) -> Answer {
        guard isVerbose else { return try await call() }
        var report = CallReport(method: method, traceID: trace.id)
        let start = clock.now
        do throws(RPCError) {
            let answer = try await call()
            report.duration = time(since: start)
            switch answer {
            case let json as RawJSON: report.source = .init(of: json)
            case let image as ImageAnswer: report.source = .init(of: image.loaded.json)
            default: break
            }
            output.note(report)
            return answer
        } catch {
            report.duration = time(since: start)
            report.failure = error.kind
            output.note(report)
            throw error
        }
    }
}
