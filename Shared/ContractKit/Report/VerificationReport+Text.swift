import JSON

/// A line of a report for people.
public struct ReportLine: Sendable {
    /// Texts of the implementation may contain any character: the caller makes them visible.
    public let text: String

    /// Whether it names a failed step.
    public let isHeading: Bool

    fileprivate init(_ text: String, isHeading: Bool = false) {
        self.text = text
        self.isHeading = isHeading
    }
}

extension VerificationReport {
    /// A report for people: a line for each case, the details of failed steps, and a summary with the reasons why steps were skipped.
    public var lines: [ReportLine] { cases.flatMap(\.lines) + (skips + [summary]).map { ReportLine($0) } }

    /// A line for each reason.
    private var skips: [String] {
        let reasons = cases.map { $0.steps.compactMap(\.reasonToSkip) }
        return Set(reasons.joined()).sorted().map { reason in
            let counts = reasons.map { $0.count { $0 == reason } }
            let inCases = counts.count { $0 > 0 }
            let skipped = counts.reduce(0, +)
            return "skipped \(skipped) of \(steps.count) steps, in \(inCases) of \(cases.count) cases: \(reason)"
        }
    }

    private var summary: String {
        let counts = "\(passed) passed, \(failed) failed, \(skipped) skipped"
        return passed + failed == 0 ? "\(counts): nothing was verified" : counts
    }
}

extension CaseReport {
    fileprivate var lines: [ReportLine] {
        let passed = steps.count { if case .passed = $0.outcome { true } else { false } }
        let failed = steps.count { !$0.differences.isEmpty }
        let skipped = steps.count - passed - failed
        let counts = [(passed, "passed"), (failed, "failed"), (skipped, "skipped")].filter { $0.0 > 0 }
        let head = "\(suite)/\(name): " + counts.map { "\($0) \($1)" }.joined(separator: ", ") + reason
        let log = log.isEmpty ? [] : ["  log"] + log.map { "    " + $0 }
        return [ReportLine(head)] + steps.flatMap(\.lines) + log.map { ReportLine($0) }
    }

    /// Why nothing of the case was played.
    private var reason: String {
        steps.first?.reasonToSkip.map { " (\($0))" } ?? ""
    }
}

extension StepReport {
    fileprivate var lines: [ReportLine] {
        if differences.isEmpty { return [] }
        return [ReportLine("  failed: \(name)", isHeading: true)] + details.map { ReportLine("    " + $0) }
    }

    /// What was sent, expected and received, and where they differ.
    var details: [String] {
        exchange.sent.map { "sent      \($0.longExcerpt)" }
            + (exchange.expected.map { ["expected  \($0.longExcerpt)"] } ?? [])
            + (exchange.received.map { ["received  \($0.longExcerpt)"] } ?? [])
            + differences.map { "differs   \($0)" }
    }
}

extension JSONValue {
    static let longExcerptLength = 2_000

    fileprivate var longExcerpt: String {
        // The text of a frame stays as it is.
        let text = text ?? json
        return text.count <= Self.longExcerptLength
            ? text : text.prefix(Self.longExcerptLength) + "… (\(text.utf8.count) bytes)"
    }
}
