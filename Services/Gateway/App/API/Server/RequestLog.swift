import HTTPTypes
import Logging
import NIOCore
import RPC
import ServiceKit
import Timing

/// Logs HTTP requests: answers with a status of 500 or above, and with `--log-level debug` every request.
struct RequestLog: Sendable {
    private let logger: Logger
    private let failures: FailureLog
    private let isDetailed: Bool
    private let clock: any MonotonicClock

    init(_ logger: Logger, _ failures: FailureLog, _ clock: any MonotonicClock) {
        self.logger = logger
        self.failures = failures
        self.clock = clock
        isDetailed = logger.logLevel <= .debug
    }

    /// The start time of a request; nil unless every request is logged.
    func start() -> NIODeadline? { isDetailed ? clock.now : nil }

    /// - Parameter start: the result of `start()`.
    func note(_ request: HTTPRequest, _ answer: HTTPAnswer, _ trace: TraceContext, since start: NIODeadline?) {
        if let failure = answer.failure, failure.kind.isServerError {
            failures.note(name(of: request), failure, trace)
        }
        guard let start else { return }
        let time = (clock.now - start).nanoseconds / 1_000
        let outcome = answer.failure.map { " \($0.kind.rawValue)" } ?? ""
        logger.debug(
            "\(name(of: request)) \(answer.status.code)\(outcome) after \(time) us", metadata: trace.metadata)
    }

    /// The maximum number of logged characters of a target.
    private static let targetCharacters = 200

    private func name(of request: HTTPRequest) -> String {
        let path = request.path ?? ""
        // The parser rejects control characters.
        return "\(request.method.rawValue) \(path.prefix(Self.targetCharacters))"
    }
}
