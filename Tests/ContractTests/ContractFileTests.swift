import CommentsContract
import ContractKit
import FeedContract
import Foundation
import ImageDataContract
import JSON
import RPC
import RPCTestKit
import Testing

/// `contract.json` says what the code declares. After a change of a contract write the files anew with
/// `REGENERATE_CONTRACTS=1 deploy/test --filter ContractFileTests`.
@Suite struct ContractFileTests {
    private static let declared: [(folder: String, contract: Contract)] = [
        ("feed", FeedContract.contract), ("comments", CommentsContract.contract),
        ("image-data", ImageDataContract.contract), ("protocol", ConformanceContract.contract),
    ]

    @Test(arguments: declared.map(\.folder))
    func `the file of a contract has its declarations and examples`(folder: String) throws {
        let contract = try #require(Self.declared.first { $0.folder == folder }?.contract)
        try Self.expect(folder, has: try JSONValue(json: "\(RawJSON(contract, as: Contract.codec))"))
    }

    @Test func `the file of likes, which no code of ours declares, has its examples`() throws {
        try Self.expect("likes", has: try ContractSuite.contract(file: contractFolder("likes/contract.json")))
    }

    private static func expect(_ folder: String, has contract: JSONValue) throws {
        let expected = try suite(folder).addingExamples(to: contract)
        let file = contractFolder(folder + "/contract.json")
        if ProcessInfo.processInfo.environment["REGENERATE_CONTRACTS"] != nil {
            try (expected.formatted() + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == expected.formatted() + "\n")
    }

    @Test(arguments: ["feed", "comments", "image-data", "likes"])
    func `the schemas of a method allow its examples`(folder: String) throws {
        let methods =
            try ContractSuite.contract(file: contractFolder(folder + "/contract.json"))["methods"]?.elements ?? []
        #expect(!methods.isEmpty)
        for method in methods {
            for example in method["examples"]?.elements ?? [] {
                let params = SchemaCheck(method["params"] ?? false).differences(
                    example["params"] ?? .null, at: "params")
                let result = SchemaCheck(method["result"] ?? false).differences(
                    example["result"] ?? .null, at: "result")
                #expect(params + result == [], "\(method["name"]?.text ?? "")")
            }
        }
    }

    @Test(arguments: ["feed", "comments", "image-data"])
    func `rpc·describe answers what the file of the contract says`(service: String) async throws {
        let contract = try ContractSuite.contract(file: contractFolder(service + "/contract.json"))
        let described = try await RunningService.with(service) { running in
            try await running.client.call("rpc.describe", .emptyObject).description
        }
        let contracts = try JSONValue(json: described)["contracts"]?.elements
        #expect(contracts?.count == 1)
        #expect(contracts?.first?["methods"]?.elements == contract["methods"]?.elements?.map(\.withoutExamples))
        #expect(contracts?.first?["version"] == contract["version"])
    }
}

extension JSONValue {
    fileprivate var withoutExamples: JSONValue {
        guard var members else { return self }
        members["examples"] = nil
        return .object(members)
    }
}
