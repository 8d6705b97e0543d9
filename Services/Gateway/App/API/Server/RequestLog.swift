import Logging
import RPC
import ServiceKit

/// Logs HTTP requests: answers with a status of 500 or above, and with `--log-level debug` every request.
struct RequestLog: Sendable {
    private let logger: Logger
    private let failures: FailureLog
    private let isDetailed: Bool

    init(_ logger: Logger, _ failures: FailureLog) {
        self.logger = logger
        self.failures = failures
        isDetailed = logger.logLevel <= .debug
    }

    func note(_ observation: HTTPObservation) {
        if let failure = observation.failure, failure.kind.isServerError {
            failures.note(name(of: observation), failure, observation.trace)
        }
        guard isDetailed else { return }
        let time = observation.time.nanoseconds / 1_000
        let status = observation.status.map { "\($0)" } ?? "given up"
        let outcome = observation.failure.map { " \($0.kind.rawValue)" } ?? ""
        logger.debug(
            "\(name(of: observation)) \(status)\(outcome) after \(time) us", metadata: observation.trace.metadata)
    }

    /// The maximum number of logged characters of a target.
    private static let targetCharacters = 200

    private func name(of observation: HTTPObservation) -> String {
        let path = observation.request.path ?? ""
        // The parser rejects control characters.
        return "\(observation.request.method.rawValue) \(path.prefix(Self.targetCharacters))"
    }
}
