import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct CallParametersTests {
    private static let schema = """
        {"type":"object","properties":{
          "limit":{"type":["integer","null"],"minimum":1,"maximum":100},
          "name":{"type":"string"},
          "note":{"type":["string","null"]},
          "exact":{"type":"boolean"},
          "either":{"anyOf":[{"type":"string"},{"type":"integer"}]},
          "ids":{"type":"array","items":{"type":"string"}},
          "author":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}},
          "items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}},
          "data":{"type":"object","properties":{"$bytes":{"type":"object"}}}
        },"additionalProperties":false}
        """

    private func json(_ arguments: String..., schema: String? = CallParametersTests.schema) throws -> String {
        let schema = try schema.map { ParameterSchema(try RawJSON(checking: $0)) }
        return "\(try CallParameters.parse(arguments).json(schema))"
    }

    @Test(arguments: [
        ("limit=3", #"{"limit":3}"#), ("limit=x", #"{"limit":"x"}"#), ("name=1", #"{"name":"1"}"#),
        ("name=true", #"{"name":"true"}"#), ("note=null", #"{"note":"null"}"#), ("note:=null", #"{"note":null}"#),
        ("exact=true", #"{"exact":true}"#), ("either=1", #"{"either":1}"#), ("either=a", #"{"either":"a"}"#),
        ("name=", #"{"name":""}"#), ("name=a=b", #"{"name":"a=b"}"#), (#"ids=["a"]"#, #"{"ids":["a"]}"#),
        ("ids=a", #"{"ids":["a"]}"#), ("ids=1", #"{"ids":["1"]}"#), ("author.name=2", #"{"author":{"name":"2"}}"#),
        ("author.age=2", #"{"author":{"age":2}}"#), ("items[0].id=1", #"{"items":[{"id":"1"}]}"#),
        ("unknown=1", #"{"unknown":1}"#), ("unknown=a", #"{"unknown":"a"}"#), (#"name=@"#, ""),
    ])
    func `a value has the type of its schema`(argument: String, expected: String) throws {
        if expected.isEmpty {
            #expect(throws: (any Error).self) { try json(argument) }
        } else {
            #expect(try json(argument) == expected)
        }
    }

    @Test func `without a schema a value is JSON, or else a string`() throws {
        #expect(try json("a=1", "b=x", "c.d=null", schema: nil) == #"{"a":1,"b":"x","c":{"d":null}}"#)
    }

    @Test func `nested and repeated keys build one object, in their order`() throws {
        #expect(
            try json("ids=a", "ids=b", "author.age=1", "author.name=c")
                == #"{"ids":["a","b"],"author":{"age":1,"name":"c"}}"#)
        #expect(try json("items[0].id=a", "items[1].id=b") == #"{"items":[{"id":"a"},{"id":"b"}]}"#)
    }

    @Test func `numbers keep their text`() throws {
        #expect(
            try json("limit=12345678901234567890", "author.age=1.50", "items:=[1e2]")
                == #"{"limit":12345678901234567890,"author":{"age":1.50},"items":[1e2]}"#)
    }

    @Test func `values of JSON are joined with other values`() throws {
        #expect(
            try json(#"ids:=["a"]"#, "ids=b", #"author:={"age":1}"#, "author.name=c")
                == #"{"ids":["a","b"],"author":{"age":1,"name":"c"}}"#)
    }

    @Test(arguments: [
        (["limit=1", "limit=2"], "limit is given more than once"), (["author=1", "author.age=2"], "contradicts"),
        (["items[1].id=a"], "begin with [0]"), (["items[0].id=a", "items[2].id=b"], "must follow [0]"),
        (["limit"], "neither a JSON object nor key=value"), (["=1"], "neither"), ([".a=1"], "must be a name"),
        (["a..b=1"], "must be a name"), (["a[x]=1"], "must be a name"), (["limit:=x"], "limit is not JSON"),
        (["{"], "the argument is not JSON"), (["{\n\"a\" 1}"], "at line 2, column 5"),
    ])
    func `a wrong argument is named`(arguments: [String], part: String) throws {
        let schema = ParameterSchema(try RawJSON(checking: Self.schema))
        let failure = #expect(throws: CommandFailure.self) { try CallParameters.parse(arguments).json(schema) }
        #expect(failure?.error.kind == .invalidParams)
        #expect(failure?.error.message.contains(part) == true, "\(failure?.error.message ?? "")")
    }

    @Test func `a file gives all parameters, a text, JSON or bytes`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/value"
            try Data("[1]\n".utf8).write(to: URL(filePath: path))
            #expect(try json("name=@\(path)") == #"{"name":"[1]"}"#)
            #expect(try json("ids=@\(path)") == #"{"ids":[1]}"#)
            #expect(try json("data=@\(path)") == #"{"data":{"$bytes":{"base64":"WzFdCg=="}}}"#)
            for mark in ["", "\u{FEFF}"] {
                try Data((mark + #" {"limit": 1} "#).utf8).write(to: URL(filePath: path))
                #expect(try json("@\(path)") == #"{"limit": 1}"#)
            }
            let missing = #expect(throws: (any Error).self) { try json("@\(folder)/none") }
            #expect("\(missing as Any)".contains("it does not exist; check the path"))
        }
    }

    @Test func `a file of a parameter may have 32 MiB, and not one byte more`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/value"
            try Data().write(to: URL(filePath: path))
            try #require(truncate(path, 32 << 20) == 0)
            let base64 = (32 << 20) / 3 * 4 + 4
            #expect(try json("data=@\(path)").utf8.count == #"{"data":{"$bytes":{"base64":""}}}"#.utf8.count + base64)
            try #require(truncate(path, (32 << 20) + 1) == 0)
            for argument in ["data=@\(path)", "name=@\(path)", "@\(path)"] {
                let error = #expect(throws: RPCError.self) { try json(argument) }
                #expect(error?.message == "file \(path) has 33554433 bytes, the limit is 33554432", "\(argument)")
            }
        }
    }
}
