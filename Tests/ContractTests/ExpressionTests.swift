import JSON
import Testing

@testable import ContractKit

/// Regular expressions of schemas, as ECMA-262 reads them.
@Suite struct ExpressionTests {
    private static func matches(_ expression: String, _ text: String) throws -> Bool {
        var visits = 1_000_000
        let matches = try Expression(expression).matches(in: text, visits: &visits)
        #expect(visits >= 0)
        return matches
    }

    @Test(
        arguments: [
            ("", "", ""), ("b", "abc", "ac"), ("^b", "bc", "ab"), ("b$", "ab", "bc\n"), ("^a.c$", "aéc", "a\nc"),
            ("^(a|bc|)$", "bc", "b"), ("^a*$", "aaa", "ab"), ("^a+$", "a", ""), ("^ab?c$", "ac", "abbc"),
            ("^a{2}$", "aa", "aaa"), ("^a{2,}$", "aaaaa", "a"), ("^a{1,3}$", "aaa", "aaaa"), ("^a{0}b$", "b", "ab"),
            ("^(ab){2,3}$", "ababab", "aba"), ("^(?:a|b)+?$", "abba", "abc"), ("^(?<name>a)$", "a", "b"),
            ("^[a-cx]$", "b", "d"), ("^[^a-c]$", "d", "b"), ("^[a-]$", "-", "b"), ("^[-a]$", "-", "b"),
            ("^[]$", nil, "a"),
            ("^[^]$", "\n", ""), (#"^[\]\\\-]+$"#, #"]\-"#, "a"), (#"^\d+$"#, "019", "1a"), (#"^\D$"#, "a", "1"),
            (#"^\w+$"#, "aZ_9", "é"), (#"^\W$"#, "é", "_"), (#"^\s$"#, "\u{3000}", "a"), (#"^\S$"#, "a", "\t"),
            (#"^[\d\S]$"#, "a", " "), (#"^[\b]$"#, "\u{8}", "b"), (#"\bab\b"#, "x ab.", "xab"), (#"^a\B"#, "ab", "a b"),
            (#"^\t\n\r\v\f\0$"#, "\t\n\r\u{B}\u{C}\0", "t"), (#"^\x41\u0042\u{1F600}\uD83D\uDE00$"#, "AB😀😀", "AB😀"),
            (#"^\.\*\/$"#, ".*/", "a*/"), ("^(a*)*$", "aaa", "b"), ("^(a?){3}$", "aa", "aaaa"),
            ("^(){1000}a$", "a", "b"),
            ("^[0-9]{2}(:?[0-9]{2})?$", "10:30", "10:3"), (#"^[^\u0000]*[^\s\u0000][^\u0000]*$"#, " a ", "  "),
        ] as [(String, String?, String)])
    func `an expression matches one text and not another`(expression: String, one: String?, other: String) throws {
        if let one { #expect(try Self.matches(expression, one)) }
        if !expression.isEmpty { #expect(try !Self.matches(expression, other)) }
    }

    @Test(arguments: [
        ("(", "a parenthesis is not closed"), (")", "no opening one"), ("[a", "a bracket is not closed"),
        ("a{", "a brace is not closed"), ("a{x}", "is not a repetition"), ("a{+1}", "is not a repetition"),
        ("a{2,1}", "is not a repetition"), ("*", "* repeats or closes nothing"), ("a**", "repeats or closes nothing"),
        ("]", "repeats or closes nothing"), ("[b-a]", "has no order"), (#"[\d-a]"#, "has no order"),
        (#"\"#, "backslash"),
        (#"\q"#, #"\q is not an escape"#), (#"\x4"#, "hexadecimal"), (#"\u{}"#, "hexadecimal"),
        (#"\u{110000}"#, "not a Unicode character"), (#"\uD800"#, "a surrogate has no other one"),
        (#"(a)\1"#, "back references are not supported"), (#"\k<a>"#, "back references"), ("(?=a)", "looking ahead"),
        ("(?!a)", "looking ahead"), ("(?<=a)", "looking behind"), ("(?<!a)", "looking behind"),
        (#"\p{L}"#, "Unicode properties are not supported"),
    ])
    func `an expression that is invalid or not supported is refused with its reason`(
        expression: String, reason: String
    ) {
        let refusal = #expect(throws: Expression.Refusal.self) { try Expression(expression) }
        #expect(refusal?.reason.contains(reason) == true, "\(refusal as Any)")
    }

    @Test func `the length, the repetitions, the steps and the nesting of an expression are limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        for (allowed, refused) in [
            (
                String(repeating: "a", count: Expression.maximumLength),
                String(repeating: "a", count: Expression.maximumLength + 1)
            ),
            ("a{\(Expression.maximumRepetition)}", "a{\(Expression.maximumRepetition + 1)}"),
            // The last step is the end.
            ("(a{1000}){9}a{999}", "(a{1000}){10}"),
            (nested(ExpressionParser.maximumDepth), nested(ExpressionParser.maximumDepth + 1)),
        ] {
            _ = try Expression(allowed)
            #expect(throws: Expression.Refusal.self) { try Expression(refused) }
        }
        #expect(throws: Expression.Refusal.self) { try Expression("((a{1000}){1000}){1000}") }
    }

    /// Each of them takes exponential or cubic time when it is matched by backtracking.
    @Test(arguments: ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(a*)*b$", "^(a*a*a*)*$", "^(a?){30}a{30}$"])
    func `the time of a match is proportional to the text`(expression: String) throws {
        let expression = try Expression(expression)
        func visits(_ count: Int) -> Int {
            var visits = 10_000_000
            #expect(!expression.matches(in: String(repeating: "a", count: count) + "!", visits: &visits))
            return 10_000_000 - visits
        }
        #expect(visits(2_000) <= 3 * visits(1_000))
    }

    @Test func `the visits of a match are limited`() throws {
        let expression = try Expression("^a*$")
        var needed = 1_000
        #expect(expression.matches(in: "aaaa", visits: &needed))
        var exact = 1_000 - needed
        #expect(expression.matches(in: "aaaa", visits: &exact) && exact == 0)
        var fewer = 1_000 - needed - 1
        #expect(!expression.matches(in: "aaaa", visits: &fewer) && fewer < 0)
    }

    // MARK: In a schema

    @Test func `a value is compared with the pattern of its schema`() throws {
        let check = SchemaCheck(["pattern": "^a+$"])
        #expect(check.differences("aa") == [])
        #expect(check.differences(1) == [])
        #expect(check.differences("b").map(\.description) == [#"value must match "^a+$", is "b""#])
        #expect(
            SchemaCheck(["pattern": "(?=a)"]).differences("a").map(\.description) == [
                #"value cannot be compared with the pattern "(?=a)": looking ahead is not supported"#
            ])
    }

    @Test func `a long match takes steps of the schema`() throws {
        let text = JSONValue.string(String(repeating: "a", count: 10_000))
        let schema: JSONValue = ["pattern": "^a*$"]
        #expect(SchemaCheck(schema).differences(text) == [])
        #expect(
            SchemaCheck(schema, maximumSteps: 100).differences(text).first?.reason
                .hasPrefix("cannot be compared with its schema in 100 steps") == true)
    }
}
