import Foundation
import RPC

/// Plays the cases of contracts against an implementation.
public struct Verification: Sendable {
    private let suites: [ContractSuite]
    private let subject: Subject
    private let timeout: Duration

    public static let defaultTimeout: Duration = .seconds(5)

    /// - Parameter timeout: the time of each step.
    public init(_ suites: [ContractSuite], of subject: Subject, timeout: Duration = defaultTimeout) {
        self.suites = suites
        self.subject = subject
        self.timeout = timeout
    }

    /// The number of cases in all suites.
    public var caseCount: Int { suites.map(\.cases.count).reduce(0, +) }

    /// The progress of a verification.
    public struct Progress: Sendable {
        public let done: Int
        public let total: Int
        public let current: String
    }

    /// Verifies on a separate thread, because it blocks. A cancelled task ends it at once, and stops the programs that it
    /// has started.
    /// - Throws: `ContractMistake` for a mistake in a case, `NoInstance` when no instance runs, `CancellationError`.
    public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws -> VerificationReport {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try blocking(progress, cancellation) }) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func blocking(_ progress: (Progress) -> Void, _ cancellation: Cancellation) throws -> VerificationReport {
        let all = suites.flatMap { suite in suite.cases.map { (suite, $0) } }
        var reports: [CaseReport] = []
        if case .socket(let path) = subject { try NoInstance.check(path, by: Deadline(timeout, cancellation)) }
        var shared = SharedInstance(subject, timeout, cancellation)
        defer { shared.stop() }
        for (suite, contractCase) in all {
            progress(Progress(done: reports.count, total: all.count, current: "\(suite.name)/\(contractCase.name)"))
            reports.append(try verify(contractCase, of: suite, on: &shared, cancellation))
            // Once for each suite, after its last case.
            if contractCase.name == suite.cases.last?.name,
                let report = try verifyDescription(of: suite, on: &shared, cancellation)
            {
                reports.append(report)
            }
            try cancellation.check()
        }
        return VerificationReport(cases: reports)
    }

    /// - Returns: nil for a part of a suite, and for a contract with another name than its suite: the methods `conformance.…` of the
    ///   suite `protocol` are optional.
    private func verifyDescription(
        of suite: ContractSuite, on shared: inout SharedInstance, _ cancellation: Cancellation
    ) throws -> CaseReport? {
        guard suite.isComplete, let contract = suite.contract, contract["name"]?.text == suite.name else { return nil }
        let step: StepReport
        do {
            let path = try shared.instance(needsFresh: false, of: suite).path
            step = try DescriptionCheck(contract: contract, path: path).report(by: Deadline(timeout, cancellation))
        } catch let fault as PeerFault {
            step = StepReport(
                "rpc.describe", .failed([Difference("the implementation", fault.description)]), isFault: true)
        } catch let skip as SharedInstance.NotAvailable {
            step = StepReport("rpc.describe", .skipped(skip.reason))
        }
        return CaseReport(
            suite: suite.name, name: DescriptionCheck.name, about: "The description.", steps: [step], log: [])
    }

    private func verify(
        _ contractCase: ContractCase, of suite: ContractSuite, on shared: inout SharedInstance,
        _ cancellation: Cancellation
    ) throws -> CaseReport {
        func report(_ steps: [StepReport], log: [String] = []) -> CaseReport {
            CaseReport(
                suite: suite.name, name: contractCase.name, about: contractCase.about, steps: steps, log: log)
        }
        func skipped(_ reason: String) -> CaseReport {
            report(contractCase.steps.map { StepReport($0.name, .skipped(reason)) })
        }
        do {
            let instance = try shared.instance(needsFresh: contractCase.needsFreshInstance, of: suite)
            defer { shared.release(instance, after: contractCase) }
            if let reason = try instance.reasonToSkip(contractCase, Deadline(timeout, cancellation)) {
                return skipped(reason)
            }
            let steps = try CasePlayer(suite: suite, path: instance.path, timeout: timeout, cancellation: cancellation)
                .play(contractCase)
            let hasFailed = steps.contains { !$0.differences.isEmpty }
            return report(steps, log: hasFailed ? instance.program?.log ?? [] : [])
        } catch let fault as PeerFault {
            let lines = fault.description.split(separator: "\n").map(String.init)
            let difference = Difference("the implementation", lines.first ?? "failed")
            let rest = contractCase.steps.dropFirst().map { StepReport($0.name, .skipped("the case did not begin")) }
            let first = StepReport(contractCase.steps[0].name, .failed([difference]), isFault: true)
            return report([first] + rest, log: Array(lines.dropFirst()))
        } catch let skip as SharedInstance.NotAvailable {
            return skipped(skip.reason)
        }
    }
}
