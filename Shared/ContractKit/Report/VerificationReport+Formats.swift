import JSON

extension VerificationReport {
    /// One JSON document: `{passed, failed, skipped, cases:[{suite, name, about, steps:[{name, outcome, took_ms, …}], log}]}`.
    public var json: String {
        let report: JSONValue = [
            "passed": .integer(passed), "failed": .integer(failed), "skipped": .integer(skipped),
            "cases": .array(cases.map(\.json)),
        ]
        return report.json
    }

    /// The Test Anything Protocol, version 14. Each step is a test point.
    public var tap: String {
        let lines = cases.flatMap { report in report.steps.map { (report, $0) } }.enumerated().flatMap { index, pair in
            pair.1.tap(index + 1, of: pair.0)
        }
        return (["TAP version 14", "1..\(steps.count)"] + lines).joined(separator: "\n")
    }

    /// The XML format of JUnit, which servers for continuous integration read. Each case is a test suite.
    public var junit: String {
        let counts = #"tests="\#(steps.count)" failures="\#(failed)" skipped="\#(skipped)""#
        return
            ([#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites \(counts)>"] + cases.flatMap(\.junit)
            + ["</testsuites>"]).joined(separator: "\n")
    }
}

extension CaseReport {
    fileprivate var json: JSONValue {
        var members = JSONMembers([
            ("suite", .string(suite)), ("name", .string(name)), ("about", .string(about)),
            ("steps", .array(steps.map(\.json))),
        ])
        if !log.isEmpty { members["log"] = .array(log.map(JSONValue.string)) }
        return .object(members)
    }

    fileprivate var junit: [String] {
        let failed = steps.count { !$0.differences.isEmpty }
        let head = #"  <testsuite name="\#("\(suite)/\(name)".xml)" tests="\#(steps.count)" failures="\#(failed)">"#
        let log = log.isEmpty ? [] : ["    <system-err>\(log.joined(separator: "\n").xml)</system-err>"]
        return [head] + steps.map { $0.junit("\(suite).\(name)") } + log + ["  </testsuite>"]
    }
}

extension StepReport {
    fileprivate var json: JSONValue {
        var members = JSONMembers([("name", .string(name))])
        switch outcome {
        case .passed: members["outcome"] = "passed"
        case .skipped(let reason): (members["outcome"], members["reason"]) = ("skipped", .string(reason))
        case .failed(let differences):
            members["outcome"] = "failed"
            members["differences"] = .array(
                differences.map { ["path": .string($0.path), "reason": .string($0.reason)] })
            members["sent"] = .array(exchange.sent)
            members["expected"] = exchange.expected
            members["received"] = exchange.received
        }
        members["took_ms"] = .integer(took.milliseconds)
        return .object(members)
    }

    fileprivate func tap(_ number: Int, of report: CaseReport) -> [String] {
        let title = "\(number) - \(report.suite)/\(report.name): \(name)".replacing("#", with: "\\#")
        switch outcome {
        case .passed: return ["ok \(title)"]
        case .skipped(let reason): return ["ok \(title) # SKIP \(reason)"]
        case .failed:
            // A JSON string is also a string of YAML.
            let lines = details.map { "    - " + JSONValue.string($0).json }
            return ["not ok \(title)", "  ---", "  details:"] + lines + ["  ..."]
        }
    }

    fileprivate func junit(_ group: String) -> String {
        let seconds = String(Double(took.milliseconds) / 1_000)
        let head = #"    <testcase classname="\#(group.xml)" name="\#(name.xml)" time="\#(seconds)""#
        switch outcome {
        case .passed: return head + "/>"
        case .skipped(let reason): return head + #"><skipped message="\#(reason.xml)"/></testcase>"#
        case .failed(let differences):
            let message = differences.first.map { "\($0)" } ?? ""
            let text = details.joined(separator: "\n")
            return head + #"><failure message="\#(message.xml)">\#(text.xml)</failure></testcase>"#
        }
    }
}

extension String {
    /// The text inside XML. Characters that XML does not allow are replaced.
    fileprivate var xml: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
