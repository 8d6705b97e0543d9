import Foundation
import Testing

@testable import RPCTestKit

/// Proves that the contract tests can fail.
@Suite struct ContractPatternTests {
    @Test(arguments: [
        (#"{"a":[1,"x",null,true]}"#, #"{"a":[1,"x",null,true]}"#),
        (#"{"a":"$any"}"#, #"{"a":{"b":[]}}"#),
        (#""$uuid""#, #""7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E""#),
        (#""$date""#, #""2026-03-01T10:15:00+0000""#),
        (#"{"$contains":"b"}"#, #""abc""#),
        (#"{"$repeat":["ab",2]}"#, #""abab""#),
        (#"{"$repeat":[{"a":1},2]}"#, #"[{"a":1},{"a":1}]"#),
        (#"[{"$capture":"x","of":"$uuid"}]"#, #"["7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"]"#),
    ])
    func `a matching value has no differences`(expected: String, actual: String) throws {
        #expect(try mismatches(expected, actual) == [])
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#, ".a is not 1 but 2"),
        (#"{"a":1}"#, #"{}"#, ".a is missing"),
        (#"{}"#, #"{"a":1}"#, ".a is not expected"),
        (#"[1]"#, #"[1,2]"#, " is not [1] but [1,2]"),
        (#"[1,[2]]"#, #"[1,[3]]"#, "[1][0] is not 2 but 3"),
        (
            #""$uuid""#, #""7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e""#,
            #" is not "$uuid" but "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e""#
        ),
        (#""$date""#, #""2026-03-01T10:15:00Z""#, #" is not "$date" but "2026-03-01T10:15:00Z""#),
        (#"{"$contains":"z"}"#, #""abc""#, #" is not {"$contains":"z"} but "abc""#),
        (#"{"$capture":"x","of":"$uuid"}"#, "7", #" is not "$uuid" but 7"#),
    ])
    func `a differing value is reported with its path`(expected: String, actual: String, finding: String) throws {
        #expect(try mismatches(expected, actual) == ["result" + finding])
    }

    @Test func `a captured value is filled in`() throws {
        var pattern = ContractPattern()
        _ = try pattern.mismatches(JSONValue(json: #"{"id":{"$capture":"x"}}"#), JSONValue(json: #"{"id":7}"#), at: "")
        #expect(try pattern.filled(JSONValue(json: #"["${x}"]"#)) == .array([.integer(7)]))
        #expect(throws: ContractScript.Mistake.self) { try pattern.filled(.string("${y}")) }
    }

    @Test func `each new id is different`() throws {
        let ids = try ContractPattern().filled(JSONValue(json: #"{"$repeat":["$new",2]}"#))
        guard case .array(let pair) = ids else { return #expect(Bool(false)) }
        #expect(pair.count == 2 && pair[0] != pair[1])
    }

    @Test(arguments: [
        #"[{"name":"x","call":"a.b"}]"#, #"[{"name":"x","call":"a.b","result":{},"error":{}}]"#,
        #"[{"name":"x","call":"a.b","result":{},"items":[]}]"#,
    ])
    func `a step expects one outcome`(script: String) {
        #expect(throws: ContractScript.Mistake.self) { try ContractScript("x", Data(script.utf8)) }
    }

    private func mismatches(_ expected: String, _ actual: String) throws -> [String] {
        var pattern = ContractPattern()
        return try pattern.mismatches(
            pattern.filled(JSONValue(json: expected)), JSONValue(json: actual), at: "result")
    }
}
