import ContractKit
import RPCTestKit
import Testing

@Suite struct ProtocolContractTests {
    @Test(arguments: try suite("protocol").cases)
    func `our server conforms to the protocol`(contractCase: ContractCase) async throws {
        let report = try await TestServer.with(ConformanceContract.table) { server in
            try await Verification(
                [try suite("protocol").only(contractCase)], of: .socket("\(server.path)"), timeout: patientTime
            ).run()
        }
        #expect(report.isPassed && report.skipped == 0, "\(report.text)")
    }

    @Test func `a server in Python conforms to what the protocol demands`() async throws {
        let report = try await Verification([try suite("protocol")], of: .likes(), timeout: patientTime).run()
        #expect(report.isPassed, "\(report.text)")
        let skipped = report.cases.filter {
            !$0.steps.contains { if case .skipped = $0.outcome { false } else { true } }
        }
        #expect(
            skipped.map(\.name) == [
                "attachments", "bytes", "calls", "cancelling", "credit", "deadlines", "describing", "large-answers",
                "parts", "streams", "windows",
            ])
    }
}

extension Subject {
    /// The implementation of likes in Python.
    /// - Parameter fault: what it does wrong; nil for nothing.
    static func likes(_ fault: String? = nil) -> Subject {
        let script = Program.repository + "/Tests/ContractTests/Likes/likes.py"
        return .command("exec python3 '\(script)' {socket}" + (fault.map { " '\($0)'" } ?? ""))
    }
}

extension VerificationReport {
    var text: String { lines.map(\.text).joined(separator: "\n") }
}
