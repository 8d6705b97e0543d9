import HTTPTypes
import Logging
import NIOCore
import RPC
import ServiceKit

/// The lines about HTTP requests: one for each answer of class 5xx, and with `--log-level debug` one for every request.
struct RequestLog: Sendable {
    private let logger: Logger
    private let failures: FailureLog
    private let isDetailed: Bool

    init(_ logger: Logger, _ failures: FailureLog) {
        self.logger = logger
        self.failures = failures
        isDetailed = logger.logLevel <= .debug
    }

    /// Nil unless every request has a line, which says how long it took.
    func start() -> NIODeadline? { isDetailed ? .now() : nil }

    /// - Parameter start: from `start()`.
    func note(_ request: HTTPRequest, _ answer: HTTPAnswer, _ trace: TraceContext, since start: NIODeadline?) {
        if let failure = answer.failure, failure.kind.isServerError {
            failures.note(name(of: request), failure, trace)
        }
        guard let start else { return }
        let time = (NIODeadline.now() - start).nanoseconds / 1_000
        let outcome = answer.failure.map { " \($0.kind.rawValue)" } ?? ""
        logger.debug(
            "\(name(of: request)) \(answer.status.code)\(outcome) after \(time) us", metadata: trace.metadata)
    }

    /// The longest part of a target in a line.
    private static let targetCharacters = 200

    private func name(of request: HTTPRequest) -> String {
        let path = request.path ?? ""
        // The parser lets no control character through.
        return "\(request.method.rawValue) \(path.prefix(Self.targetCharacters))"
    }
}
