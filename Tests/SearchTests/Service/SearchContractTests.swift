import ContractKit
import Foundation
import JSON
import RPC
import RPCTestKit
import SearchContract
import Testing

/// The contract of search as data, in `Tests/Contracts/search`.
@Suite struct SearchContractTests {
    private static let folder = "\(Program.repository)/Tests/Contracts/search"

    private static func suite() throws -> ContractSuite { try ContractSuite(folder: folder) }

    /// After a change of the contract write the file anew: `REGENERATE_CONTRACTS=1 deploy/test --filter SearchContractTests`.
    @Test func `the file of the contract has its declarations and examples`() throws {
        let contract = try JSONValue(json: "\(RawJSON(SearchContract.contract, as: Contract.codec))")
        let expected = try Self.suite().addingExamples(to: contract).formatted() + "\n"
        let file = Self.folder + "/contract.json"
        if ProcessInfo.processInfo.environment["REGENERATE_CONTRACTS"] != nil {
            try expected.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let present = try String(contentsOfFile: file, encoding: .utf8)
        #expect(present == expected)
    }

    @Test(arguments: try suite().cases)
    func `search-service fulfils its contract`(contractCase: ContractCase) async throws {
        let command = "exec \(Program.directory)/search-service --root {root}"
        let verification = Verification(
            [try Self.suite().only(contractCase)], of: .command(command), timeout: .seconds(60))
        let report = try await verification.run()
        #expect(report.isPassed, "\(report)")
    }
}
