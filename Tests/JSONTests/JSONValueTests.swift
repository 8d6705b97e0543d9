import JSON
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1.0", "1e2", "12345678901234567890", "0.1000000000000000055", "1E+400",
        #""""#,
        #""a\"b""#, "[]", "[1,[2],{}]", "{}", #"{"b":1,"a":{"d":2,"c":3}}"#,
    ])
    func `a value is written as it was read: members in their order, numbers with their text`(text: String) throws {
        #expect(try JSONValue(json: text).json == text)
    }

    @Test(arguments: ["", "1 2", "{", "nul", "[1,]", #"{"a":1,"a":2}"#, String(repeating: "[", count: 65)])
    func `text that is not one JSON value is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(json: text) }
    }

    @Test func `a value has the members, the elements or the scalar that it is`() throws {
        let value: JSONValue = ["list": [1, "a"], "yes": true]
        #expect(value["list"]?.elements?.first?.integer == 1)
        #expect(value["list"]?.elements?.last?.text == "a")
        #expect(value["yes"]?.boolean == true)
        #expect(value["none"] == nil)
        #expect(value.members?.names == ["list", "yes"])
        #expect((value.text, value.integer, value.boolean, value.number) == (nil, nil, nil, nil))
    }

    // MARK: Comparing

    @Test(arguments: [
        ("1", "1.0", true), ("1", "10e-1", true), ("100", "1e2", true), ("0", "-0", true), ("0", "0e99", true),
        ("0.10", "0.1", true), ("1", "-1", false), ("1", "1.0000000000000000001", false), ("1e400", "1e401", false),
        ("9007199254740993", "9007199254740992", false), ("1e99999999999999999999", "1e-99999999999999999999", false),
        ("1", #""1""#, false), ("null", "false", false), ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false),
        (#"{"a":1,"b":2}"#, #"{"b":2.0,"a":1}"#, true), (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
        (#""é""#, #""\u00e9""#, true), (#""é""#, #""e\u0301""#, false),
    ])
    func `values are equal when they mean the same`(one: String, other: String, isEqual: Bool) throws {
        let (one, other) = (try JSONValue(json: one), try JSONValue(json: other))
        #expect((one == other) == isEqual)
        #expect((other == one) == isEqual)
    }

    @Test func `numbers are ordered by their exact values`() throws {
        let ordered = [
            "-1e400", "-9007199254740993", "-9007199254740992", "-2", "-1.5", "-1e-400", "0", "1e-400", "0.09", "0.1",
            "0.11",
            "1", "9.99", "10", "9007199254740992", "9007199254740993", "1e400",
        ].map { try? JSONValue(json: $0).number }
        let numbers = try ordered.map { try #require($0) }
        for (index, number) in numbers.enumerated() {
            #expect(numbers.map { $0 < number } == numbers.indices.map { $0 < index }, "\(number.text)")
        }
    }

    @Test(arguments: [
        ("1", 1, 1), ("1.0", 1, 1), ("1e2", 100, 100), ("-0.5", nil, -0.5), ("9223372036854775807", .max, 0x1p63),
        ("9223372036854775808", nil, 0x1p63), ("1e400", nil, nil),
    ])
    func `a number is an Int or a Double if it fits`(text: String, integer: Int?, double: Double?) throws {
        let number = try JSONValue(json: text).number
        #expect(number?.integer == integer)
        #expect(number?.double == double)
    }

    @Test func `two normalisations of one text are two members`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        let value = try JSONValue(json: text)
        #expect(value.json == text)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func `members are added at the end, replaced in place and removed`() {
        var members = JSONMembers([("a", 1), ("b", 2)])
        members["c"] = 3
        members["a"] = 4
        members["b"] = nil
        #expect(JSONValue.object(members).json == #"{"a":4,"c":3}"#)
        members["a"] = nil
        members["c"] = nil
        #expect(members.isEmpty)
    }

    // MARK: Formatting

    @Test func `what fits into a line stays on one`() throws {
        let value = try JSONValue(json: #"{"list":[1,2.50,{}],"texts":["first","second"],"empty":[]}"#)
        #expect(
            value.formatted(lineLength: 30) == """
                {
                  "list": [1, 2.50, {}],
                  "texts": [
                    "first",
                    "second"
                  ],
                  "empty": []
                }
                """)
        #expect(value.formatted(lineLength: 31).contains(#"  "texts": ["first", "second"],"#))
    }

    @Test func `without a line length, every member and element has a line of its own`() throws {
        #expect(
            try JSONValue(json: #"{"a":[1,{}],"b":[]}"#).formatted(lineLength: nil) == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": []
                }
                """)
    }
}
