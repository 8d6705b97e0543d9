import JSON

/// The result of a step.
public struct StepReport: Sendable {
    public enum Outcome: Sendable {
        case passed
        case failed([Difference])
        case skipped(String)
    }

    public let name: String
    public let outcome: Outcome
    public let exchange: StepExchange
    public let took: Duration

    /// Whether the implementation broke the connection or did not answer.
    let isFault: Bool

    init(
        _ name: String, _ outcome: Outcome, _ exchange: StepExchange = StepExchange(), took: Duration = .zero,
        isFault: Bool = false
    ) {
        self.name = name
        self.outcome = outcome
        self.exchange = exchange
        self.took = took
        self.isFault = isFault
    }

    var reasonToSkip: String? { if case .skipped(let reason) = outcome { reason } else { nil } }

    var differences: [Difference] { if case .failed(let differences) = outcome { differences } else { [] } }
}

/// What was sent in a step, what was expected, and what arrived.
public struct StepExchange: Sendable {
    public var sent: [JSONValue] = []
    public var expected: JSONValue?
    public var received: JSONValue?
}

/// The result of a case.
public struct CaseReport: Sendable {
    public let suite: String
    public let name: String
    public let about: String
    public let steps: [StepReport]

    /// The last lines of the program's log, if a step failed and the program was started for the verification.
    public let log: [String]

    public var hasFailed: Bool { steps.contains { !$0.differences.isEmpty } }
}

/// The result of a verification.
public struct VerificationReport: Sendable {
    public let cases: [CaseReport]

    public var steps: [StepReport] { cases.flatMap(\.steps) }
    public var failed: Int { steps.count { !$0.differences.isEmpty } }
    public var passed: Int { steps.count { if case .passed = $0.outcome { true } else { false } } }
    public var skipped: Int { steps.count - failed - passed }

    /// Something was verified, and nothing failed.
    public var isPassed: Bool { failed == 0 && passed > 0 }
}
