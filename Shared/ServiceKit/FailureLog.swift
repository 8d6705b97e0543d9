import Logging
import RPC
import Synchronization

/// The lines about calls that have failed, one each with its trace id. When more fail in a second than anybody can read,
/// those above `linesPerSecond` are counted, and one line says how many they were and lists their trace ids: a service that
/// is down must not fill the disk with the same line.
public final class FailureLog: Sendable {
    /// How many failures of one second have a line each.
    public static let linesPerSecond = 20

    /// How many trace ids the line about the others lists, each once.
    public static let tracesPerSummary = 100

    /// The failures of one second that have no line of their own.
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
        var end: ContinuousClock.Instant
        var lines = 0
        var omitted = Omitted()

        mutating func takeOmitted() -> Omitted {
            defer { omitted = Omitted() }
            return omitted
        }
    }

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let second: Mutex<Second>

    /// Yielded when the first failure of a second has no line of its own.
    private let (overflows, overflow) = AsyncStream.makeStream(of: Void.self)

    public init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
        second = Mutex(Second(end: now() + .seconds(1)))
    }

    /// A log that nobody reads.
    public static let none = FailureLog(Logger(label: "none") { _ in SwiftLogNoOpLogHandler() })

    /// Logs that something has failed.
    /// - Parameters:
    ///   - what: the object of the line: a method, a request.
    ///   - kind: what its caller is told.
    ///   - reason: in full, for the operator.
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
        // A fault of the service itself, or one that a caller, an upstream or a peer may have part in.
        let level: Logger.Level = kind == .internalError || kind == .dataLoss ? .error : .warning
        logger.log(level: level, "\(what.asLogged) failed: \(reason.asLogged)", metadata: trace.metadata)
    }

    /// Logs an error that its caller sees.
    public func note(_ what: String, _ error: RPCError, _ trace: TraceContext) {
        note(what, error.kind, "\(error)", trace)
    }

    /// Says how many had no line, soon after the second in which they failed and at the end, until the task is cancelled.
    public func run() async {
        for await _ in overflows {
            // Cancelled while it waits: the loop ends.
            try? await Task.sleep(for: .seconds(1))
            summariseIfOver()
        }
        summarise(second.withLock { $0.takeOmitted() })
    }

    func summariseIfOver() { summarise(second.withLock { closeIfOver(&$0) }) }

    /// - Returns: what had no line in the second that is over.
    private func closeIfOver(_ second: inout Second) -> Omitted {
        let now = now()
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
    /// The most characters of one part of a line.
    private static var mostLogged: Int { 1_000 }

    /// On one line, without control characters, and not without end.
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
