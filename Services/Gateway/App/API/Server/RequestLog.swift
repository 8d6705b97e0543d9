import Logging
import NIOCore
import RPC
import ServiceKit

/// Logs HTTP requests: answers with a status of 500 or above, slow ones, and with `--log-level debug` every request.
struct RequestLog: Sendable {
    private let logger: Logger
    private let failures: FailureLog
    private let isDetailed: Bool
    private let slowTime: TimeAmount
    private let access: AccessLog?

    /// - Parameters:
    ///   - slowTime: a request whose answer begins later is slow.
    ///   - access: nil without an access log.
    init(
        _ logger: Logger, _ failures: FailureLog, slowTime: TimeAmount = defaultSlowTime, access: AccessLog? = nil
    ) {
        self.slowTime = slowTime
        self.access = access
        self.logger = logger
        self.failures = failures
        isDetailed = logger.logLevel <= .debug
    }

    static let defaultSlowTime = TimeAmount.seconds(1)

    func note(_ observation: HTTPObservation) {
        access?.note(observation)
        if observation.waitingTime > slowTime { noteSlow(observation) }
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

    private func noteSlow(_ observation: HTTPObservation) {
        let calls = observation.calls.all.map { "\($0.method) \($0.time.inSeconds)" }
        let parts = calls.isEmpty ? "no calls of its own" : calls.joined(separator: ", ")
        logger.notice(
            "\(name(of: observation)) was slow: \(observation.waitingTime.inSeconds) (\(parts))",
            metadata: observation.trace.metadata)
    }

    /// The maximum number of logged characters of a target.
    private static let targetCharacters = 200

    private func name(of observation: HTTPObservation) -> String {
        let path = observation.request.path ?? ""
        // The parser rejects control characters.
        return "\(observation.request.method.rawValue) \(path.prefix(Self.targetCharacters))"
    }
}

extension TimeAmount {
    /// In seconds with milliseconds, for example `1.234 s`.
    fileprivate var inSeconds: String { "\(Double(nanoseconds / 1_000_000) / 1_000) s" }
}
