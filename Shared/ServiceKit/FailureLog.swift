import Logging
import NIOCore
import RPC
import Synchronization
import Timing

/// Logs failed calls: one line each, with the trace id.
///
/// After `linesPerSecond` failures in one second, further failures are only counted. One summary line gives their number and
/// trace ids, so that an outage does not fill the disk with equal lines.
public final class FailureLog: Sendable {
    /// The most failures per second that get a line of their own.
    public static let linesPerSecond = 20

    /// The most trace ids in a summary line. Each id is listed once.
    public static let tracesPerSummary = 100

    /// The failures of one second that were counted, not logged.
    private struct Omitted {
        var kinds: [ErrorKind: Int] = [:]
        var traces: [String] = []

        mutating func add(_ kind: ErrorKind, _ trace: TraceContext) {
            kinds[kind, default: 0] += 1
            guard traces.count < FailureLog.tracesPerSummary, let id = trace.id, !traces.contains(id) else { return }
            traces.append(id)
        }
    }

    private struct Second {
        var end: NIODeadline
        var lines = 0
        var omitted = Omitted()

        mutating func takeOmitted() -> Omitted {
            defer { omitted = Omitted() }
            return omitted
        }
    }

    private let logger: Logger
    private let clock: any MonotonicClock
    private let second: Mutex<Second>

    /// Yields when a second has its first counted failure.
    private let (overflows, overflow) = AsyncStream.makeStream(of: Void.self)

    public init(_ logger: Logger, clock: any MonotonicClock = .system) {
        self.logger = logger
        self.clock = clock
        second = Mutex(Second(end: clock.now + .seconds(1)))
    }

    /// Discards every line.
    public static let none = FailureLog(Logger(label: "none") { _ in SwiftLogNoOpLogHandler() })

    /// Logs a failure.
    /// - Parameters:
    ///   - what: what failed: a method or a request.
    ///   - kind: the error kind that the caller receives.
    ///   - reason: the full reason, for the operator.
    public func note(_ what: String, _ kind: ErrorKind, _ reason: String, _ trace: TraceContext) {
        let (omitted, hasLine, isFirstOmitted) = second.withLock { second in
            let omitted = closeIfOver(&second)
            second.lines += 1
            let hasLine = second.lines <= Self.linesPerSecond
            if !hasLine { second.omitted.add(kind, trace) }
            return (omitted, hasLine, second.lines == Self.linesPerSecond + 1)
        }
        summarise(omitted)
        if isFirstOmitted { overflow.yield() }
        guard hasLine else { return }
        // These two are the service's own faults. A caller, an upstream or a peer may have caused the others.
        let level: Logger.Level = kind == .internalError || kind == .dataLoss ? .error : .warning
        logger.log(level: level, "\(what.asLogged) failed: \(reason.asLogged)", metadata: trace.metadata)
    }

    /// Logs an error that the caller receives as it is.
    public func note(_ what: String, _ error: RPCError, _ trace: TraceContext) {
        note(what, error.kind, "\(error)", trace)
    }

    /// Writes the summary lines: one after each second with counted failures, and one at the end. Runs until the task is
    /// cancelled.
    public func run() async {
        for await _ in overflows {
            // On cancellation the sleep throws, and the loop ends.
            try? await clock.sleep(for: .seconds(1))
            summariseIfOver()
        }
        summarise(second.withLock { $0.takeOmitted() })
    }

    func summariseIfOver() { summarise(second.withLock { closeIfOver(&$0) }) }

    /// Starts a new second if the current one is over.
    /// - Returns: the counted failures of the second that ended.
    private func closeIfOver(_ second: inout Second) -> Omitted {
        let now = clock.now
        guard now >= second.end else { return Omitted() }
        defer { second = Second(end: now + .seconds(1)) }
        return second.omitted
    }

    private func summarise(_ omitted: Omitted) {
        guard !omitted.kinds.isEmpty else { return }
        let kinds = omitted.kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        let count = omitted.kinds.values.reduce(0, +)
        let traces: Logger.Metadata =
            omitted.traces.isEmpty ? [:] : ["trace_ids": .array(omitted.traces.map { .string($0) })]
        logger.warning(
            "\(count) more calls failed within a second: \(kinds.joined(separator: ", "))", metadata: traces)
    }
}

extension String {
    /// The maximum length of one part of a log line, in Unicode scalars.
    private static var mostLogged: Int { 1_000 }

    /// The text for a log line: control characters become spaces, and text above `mostLogged` is truncated.
    var asLogged: String {
        let scalars = unicodeScalars.prefix(Self.mostLogged)
        let isShort = scalars.endIndex == unicodeScalars.endIndex
        if isShort, !scalars.contains(where: \.isControl) { return self }
        var text = String.UnicodeScalarView()
        for scalar in scalars { text.append(scalar.isControl ? " " : scalar) }
        return String(text) + (isShort ? "" : " …")
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
