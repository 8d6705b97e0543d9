import ContractCases
import ContractKit
import Foundation
import Testing

@Suite struct CaseFileTests {
    @Test(arguments: ContractCases.names)
    func `every case matches the schema of cases`(contract: String) throws {
        let check = SchemaCheck(try Self.json(contractFolder("case.schema.json")))
        let files = try FileManager.default.contentsOfDirectory(atPath: contractFolder(contract))
        for file in files where file.hasSuffix(".json") && file != "contract.json" {
            let differences = check.differences(try Self.json("\(contractFolder(contract))/\(file)"), at: file)
            #expect(differences == [])
        }
    }

    @Test(arguments: [
        #"{"about":"a"}"#, #"{"about":"a","steps":[]}"#, #"{"about":"a","steps":[{"name":"x","call":"a.b"}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"error":{"kind":"internal"}}]}"#,
        #"{"about":"a","steps":[{"name":"x","send":[1]}],"fresh":1}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","error":{"message":"text"}}]}"#,
        #"{"about":"a","steps":[{"name":"","call":"a.b","result":1}]}"#,
    ])
    func `the schema refuses what is not a case`(text: String) throws {
        let check = SchemaCheck(try Self.json(contractFolder("case.schema.json")))
        #expect(!check.differences(try JSONValue(json: text)).isEmpty)
    }

    private static func json(_ path: String) throws -> JSONValue {
        try JSONValue(json: try Data(contentsOf: URL(filePath: path)))
    }
}
