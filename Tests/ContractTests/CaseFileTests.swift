import ContractCases
import Foundation
import Testing

@testable import ContractKit

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
        #"{"steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","fresh":"yes","steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","let":[],"steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","requires":{"feature":["bytes"]},"steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","requires":{"features":["byte"]},"steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","requires":{"methods":"a.b"},"steps":[{"name":"x","call":"a.b","result":1}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"within_ms":"100"}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"within_ms":0}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"silent_ms":5}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"attachments":1}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1,"end":{}}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":7,"result":1}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","items":{}}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","items":[],"end":{"results":1}}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","items":[],"end":{"result":1,"error":{"kind":"internal"}}}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","error":{"kind":"internal","names":1}}]}"#,
        #"{"about":"a","steps":[{"name":"x","call":"a.b","error":{"names":"a"}}]}"#,
        #"{"about":"a","steps":[{"name":"x","stream":"s","result":1}]}"#,
        #"{"about":"a","steps":[{"name":"x","stream":"s","items":[],"params":{}}]}"#,
        #"{"about":"a","steps":[{"name":"x","send":1}]}"#, #"{"about":"a","steps":[{"name":"x","receive":"a"}]}"#,
        #"{"about":"a","steps":[{"name":"x","send":[],"closed":"yes"}]}"#,
        #"{"about":"a","steps":[{"name":"x","send":[],"params":{}}]}"#,
    ])
    func `the schema and the reader refuse what is not a case`(text: String) throws {
        let check = SchemaCheck(try Self.json(contractFolder("case.schema.json")))
        #expect(!check.differences(try JSONValue(json: text)).isEmpty)
        #expect(throws: ContractMistake.self) { try ContractCase("x", text.utf8) }
    }

    @Test func `a mistake names the step, the member and what it must be`() {
        let text = #"{"about":"a","steps":[{"name":"first","call":"a.b","result":1,"within_ms":"100"}]}"#
        let mistake = #expect(throws: ContractMistake.self) { try ContractCase("x", text.utf8) }
        #expect(mistake?.description == #"first: within_ms must be an integer of at least 1, is "100""#)
    }

    private static func json(_ path: String) throws -> JSONValue {
        try JSONValue(json: try Data(contentsOf: URL(filePath: path)))
    }
}
