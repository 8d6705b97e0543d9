import RPC

/// Plays the steps of one case against a running instance.
struct CasePlayer {
    let suite: ContractSuite
    let path: SocketPath

    /// The time for a step without `within_ms`.
    let timeout: Duration

    let cancellation: Cancellation

    /// - Returns: a report of each step, also of those that could not be played.
    func play(_ contractCase: ContractCase) throws -> [StepReport] {
        var pattern = Pattern()
        pattern.declared = suite.declaredNames
        for (name, value) in contractCase.values { pattern.capture(try pattern.filled(value), as: name) }
        let calls = CallPlayer(path, features: features(of: contractCase))
        let frames = FramePlayer(path)
        var reports: [StepReport] = []
        var fault: String?
        for step in contractCase.steps {
            try cancellation.check()
            guard fault == nil else {
                reports.append(StepReport(step.name, .skipped("the step \"\(fault ?? "")\" did not end")))
                continue
            }
            let report = try inside("\(suite.name)/\(contractCase.name), \(step.name)") {
                try play(step, &pattern, calls, frames)
            }
            if report.isFault { fault = step.name }
            reports.append(report)
        }
        return reports
    }

    private func features(of contractCase: ContractCase) -> Set<String> {
        let hasAttachments = contractCase.steps.contains { step in
            if case .call(let call) = step.action { call.attachments } else { false }
        }
        let isRaw = contractCase.steps.contains { step in if case .exchange = step.action { true } else { false } }
        return isRaw
            ? [] : CallConnection.features.intersection(contractCase.features).union(hasAttachments ? ["bytes"] : [])
    }

    private func play(
        _ step: ContractStep, _ pattern: inout Pattern, _ calls: CallPlayer, _ frames: FramePlayer
    ) throws -> StepReport {
        let start = ContinuousClock.now
        var exchange = StepExchange()
        func report(_ outcome: StepReport.Outcome, isFault: Bool = false) -> StepReport {
            StepReport(step.name, outcome, exchange, took: .now - start, isFault: isFault)
        }
        do {
            // A late answer is reported as late rather than as missing.
            let deadline = Deadline(max(timeout, step.within ?? .zero), cancellation)
            var differences: [Difference]
            switch step.action {
            case .call(let call):
                differences = try calls.play(call, &pattern, by: deadline, &exchange)
                if differences.isEmpty, let method = call.method {
                    differences = suite.violations(of: exchange.received, to: method)
                }
            case .exchange(let action): differences = try frames.play(action, &pattern, by: deadline, &exchange)
            }
            let took = ContinuousClock.now - start
            if let within = step.within, took > within {
                differences.append(Difference("time", "must be at most \(within.text), is \(took.text)"))
            }
            return report(differences.isEmpty ? .passed : .failed(differences))
        } catch let fault as PeerFault {
            return report(.failed([Difference("the implementation", fault.description)]), isFault: true)
        } catch let missing as Pattern.NotCaptured {
            return report(.skipped("no earlier step captured ${\(missing.name)}"))
        }
    }
}
