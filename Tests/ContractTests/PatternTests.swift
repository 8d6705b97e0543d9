import Foundation
import JSON
import Testing

@testable import ContractKit

/// Proves that cases can fail.
@Suite struct PatternTests {
    @Test(arguments: [
        (#"{"a":[1,"x",null,true]}"#, #"{"a":[1,"x",null,true]}"#),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
        (#"{"a":"$any"}"#, #"{"a":{"b":[]}}"#),
        (#""$uuid""#, #""7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E""#),
        (#""$date""#, #""2026-03-01T10:15:00Z""#),
        (#"["$string","$integer","$number","$number","$boolean","$array","$object"]"#, #"["",1,1,1.5,false,[],{}]"#),
        (#"{"$contains":"b"}"#, #""abc""#),
        (#"{"$repeat":["ab",2]}"#, #""abab""#),
        (#"{"$repeat":[{"a":1},2]}"#, #"[{"a":1},{"a":1}]"#),
        (#"[{"$capture":"x","of":"$uuid"}]"#, #"["7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"]"#),
        (#"{"a":1,"b":"$absent"}"#, #"{"a":1}"#),
        (#"{"$unordered":[1,"$integer",{"a":2}]}"#, #"[{"a":2},1,3]"#),
        (#"{"$between":[1,3]}"#, "3"),
        (#"{"$partial":{"a":1}}"#, #"{"a":1,"b":2}"#),
        (#"{"$one":[1,null]}"#, "null"),
        ("1", "1.0"),
    ])
    func `a matching value has no differences`(expected: String, actual: String) throws {
        #expect(try differences(expected, actual) == [])
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#, ".a must be 1, is 2"),
        (#"{"a":1}"#, #"{}"#, ".a is missing"),
        (#"{}"#, #"{"a":1}"#, ".a is not expected, is 1"),
        (#"[1]"#, #"[1,2]"#, " must have 1 elements, has 2: [1,2]"),
        (#"[1,[2]]"#, #"[1,[3]]"#, "[1][0] must be 2, is 3"),
        (
            #""$uuid""#, #""7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e""#,
            #" must be uuid, is "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e""#
        ),
        (#""$date""#, #""2026-03-01T10:15:00+0000""#, #" must be date, is "2026-03-01T10:15:00+0000""#),
        (#""$integer""#, "1.5", " must be integer, is 1.5"),
        (#""$string""#, "1", " must be string, is 1"),
        (#"{"$contains":"z"}"#, #""abc""#, #" must contain "z", is "abc""#),
        (#"{"$capture":"x","of":"$uuid"}"#, "7", " must be uuid, is 7"),
        (#"{"a":"$absent"}"#, #"{"a":null}"#, ".a must be absent, is null"),
        (#"{"$unordered":[1,2]}"#, "[2,2]", " has no element 1"),
        (#"{"$unordered":[1]}"#, "[2,1]", " has an element that is not expected: 2"),
        (#"{"$between":[1,3]}"#, "4", " must be from 1 to 3, is 4"),
        (#"{"$partial":{"a":1}}"#, #"{"b":2}"#, ".a is missing"),
        (#"{"$one":[1,null]}"#, "2", " must be one of [1,null], is 2"),
    ])
    func `a differing value is reported with its path`(expected: String, actual: String, difference: String) throws {
        #expect(try differences(expected, actual).first == "result" + difference)
    }

    @Test func `only a member that the contract declares is unexpected`() throws {
        var pattern = Pattern()
        pattern.declared = ["a", "b"]
        let (expected, later) = (try JSONValue(json: #"{"a":1}"#), try JSONValue(json: #"{"a":1,"c":1}"#))
        let declared = try JSONValue(json: #"{"a":1,"b":1}"#)
        #expect(try pattern.differences(expected, later, at: "") == [])
        #expect(try pattern.differences(expected, declared, at: "").map(\.path) == [".b"])
    }

    @Test func `a captured value is filled in, of any type, and into texts and names`() throws {
        var pattern = Pattern()
        _ = try pattern.differences(JSONValue(json: #"{"id":{"$capture":"x"}}"#), JSONValue(json: #"{"id":7}"#), at: "")
        #expect(
            try pattern.filled(JSONValue(json: #"{"a":["${x}"],"b":"urn:${x}:${x}","n${x}":1}"#))
                == JSONValue(json: #"{"a":[7],"b":"urn:7:7","n7":1}"#))
        #expect(throws: Pattern.NotCaptured.self) { try pattern.filled(.string("${y}")) }
    }

    @Test func `each new id is different`() throws {
        let ids = try Pattern().filled(JSONValue(json: #"{"$repeat":["$new",2]}"#)).elements
        #expect(ids?.count == 2 && ids?[0] != ids?[1])
    }

    @Test func `a choice that does not match captures nothing`() throws {
        var pattern = Pattern()
        let expected = try JSONValue(json: #"{"$one":[{"a":{"$capture":"x"},"b":1},{"a":{"$capture":"y"},"b":2}]}"#)
        #expect(try pattern.differences(expected, JSONValue(json: #"{"a":7,"b":2}"#), at: "") == [])
        #expect(pattern.captured == ["y": 7])
    }

    @Test(arguments: [
        #"{"$capture":"x","off":"$uuid"}"#, #"{"$contains":"a","$between":[1,3]}"#, #"{"$one":[1],"of":1}"#,
        #"{"$partial":{},"a":1}"#, #"{"$repeat":["a",1],"a":1}"#, #"{"$lower":"A","a":1}"#,
    ])
    func `a pattern with another member is a mistake`(expected: String) {
        #expect(throws: ContractMistake.self) { try differences(expected, "1") }
    }

    @Test func `a text is written in lower case`() throws {
        #expect(try Pattern().filled(JSONValue(json: #"{"$lower":"AbÇ"}"#)) == "abç")
    }

    @Test(arguments: [0, 10_000_000, 10_000_001, -1])
    func `a repetition has a limit`(count: Int) throws {
        let value = try JSONValue(json: #"{"$repeat":["a",\#(count)]}"#)
        if (0...Pattern.longestRepetition).contains(count) {
            #expect(try Pattern().filled(value).text?.utf8.count == count)
        } else {
            #expect(throws: ContractMistake.self) { try Pattern().filled(value) }
        }
    }

    @Test(arguments: [
        #"{"steps":[{"name":"x","call":"a.b"}]}"#, #"{"steps":[{"name":"x","call":"a.b","result":{},"error":{}}]}"#,
        #"{"steps":[{"name":"x","call":"a.b","result":{},"items":[]}]}"#, #"{"steps":[{"call":"a.b","result":{}}]}"#,
        #"{"steps":[{"name":"x"}]}"#, #"{"steps":[]}"#, "[]", "{", #"{"steps":[{"name":"x","call":"a","resul":1}]}"#,
        #"{"stops":[],"steps":[{"name":"x","call":"a","result":1}]}"#,
    ])
    func `a file that is not a case is refused`(text: String) {
        #expect(throws: ContractMistake.self) { try ContractCase("x", text.utf8) }
    }

    private func differences(_ expected: String, _ actual: String) throws -> [String] {
        var pattern = Pattern()
        return try pattern.differences(pattern.filled(JSONValue(json: expected)), JSONValue(json: actual), at: "result")
            .map(\.description)
    }
}
