import ContractCases
import Foundation
import JSON
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

    @Test(arguments: [
        (#""call":"a.b","params":{"id":"${imag}"},"result":1"#, "first: ${imag} is not defined"),
        (#""call":"a.b","params":{"${imag}":1},"result":1"#, "first: ${imag} is not defined"),
        (#""send":["${imag}"],"receive":[]"#, "first: ${imag} is not defined"),
        (#""call":"a.b","result":{"id":"$int"}"#, "first: unknown placeholder $int. Known: $absent, $any,"),
        (#""call":"a.b","resul":1"#, "first: resul is not a member of a step"),
        (#""cal":"a.b","result":1"#, "first: cal is not a member of a step"),
        (#""stream":"a","itms":[]"#, "first: itms is not a member of a step"),
        (#""call":"a.b","params":["$nw"],"result":1"#, "first: unknown placeholder $nw."),
        (
            #""call":"a.b","error":{"kind":"notfound"}"#,
            "first: unknown kind notfound of an error. Known: already_exists,"
        ),
    ])
    func `a typing error in a placeholder, a member or a kind is a mistake`(step: String, reason: String) {
        let text = #"{"about":"a","let":{"image":"$new"},"steps":[{"name":"first",\#(step)}]}"#
        let mistake = #expect(throws: ContractMistake.self) { try ContractCase("x", text.utf8) }
        #expect(mistake?.description.hasPrefix(reason) == true, "\(mistake?.description ?? "")")
    }

    @Test func `a value of let, and what a step has captured, may be used later`() throws {
        let text = #"""
            {"about":"a","let":{"image":"$new","text":"an ${image}"},"steps":[
              {"name":"first","call":"a.b","params":{"id":"${image}"},"result":{"id":{"$capture":"made"},"is":"${text}"}},
              {"name":"second","call":"a.b","params":{"id":"${made}","price":"$5"},"error":{"kind":"not_found"}}]}
            """#
        #expect(try ContractCase("x", text.utf8).steps.count == 2)
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
