import Testing

@testable import JSON

/// Which texts are JSON: RFC 8259, restricted by I-JSON.
struct JSONTextTests {
    @Test(
        arguments: [
            "{}", "[]", "null", "true", "false", "0", "\"\"", " 1 ", "\t\r\n{ \"a\" : [ 1 , 2 ] }\n",
            "{\"a\":1,\"A\":2}", "{\"\":0}", "[[],[[]],{}]", "{\"a\":{\"a\":{\"a\":null}}}", "[null,1,\"1\",{}]",
            "[0,-0,0.0,-1.5,1e5,1E5,1e+5,1e-5,0e0,123456789012345678901234567890,1e400]",
        ])
    func `a text is accepted`(text: String) throws {
        _ = try RawJSON(checking: text)
    }

    @Test(
        arguments: [
            // No value, or more than one.
            "", " ", "\n", "1 2", "{} {}", "[] x", "null,", "{}]", "\"a\"\"b\"", "[1]\u{0}", "1\u{C}",
            // Commas.
            "[1,]", "[,1]", "[1,,2]", "[,]", "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}", "{,}", "[1 2]",
            "{\"a\":1 \"b\":2}",
            // Members.
            "{\"a\"}", "{\"a\":}", "{\"a\"::1}", "{:1}", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{\"a\",1}",
            // Brackets.
            "[", "]", "{", "}", "[1", "{\"a\":1", "{\"a\"", "{\"a\":", "[1}", "{\"a\":1]", "[\"a\"", "[1,",
            // Comments.
            "/*a*/1", "1//a", "[1/**/]", "#1", "{\"a\":1}/**/",
            // Literals.
            "tru", "TRUE", "True", "nul", "nulll", "fals", "truefalse", "NaN", "Infinity", "-Infinity", "undefined",
            "nan", "[-NaN]", "t", "n", "-",
            // Characters that are not JSON white space.
            "\u{A0}1", "\u{2028}1", "\u{B}1", "1\u{85}", "\u{FEFF}{}",
            // Quotes.
            "'a'", "\"a", "\"", "a", "\"\\\"", "`a`", "\u{201C}a\u{201D}",
        ])
    func `a text is refused`(text: String) {
        expectSyntaxError(Array(text.utf8))
    }

    @Test(arguments: [
        "/", "\\", "\"", "b", "f", "n", "r", "t", "u0041", "u00e9", "uD834\\uDD1E", "ud834\\udd1e", "u0000",
    ])
    func `an escape is accepted`(escape: String) throws {
        _ = try RawJSON(checking: "\"\\\(escape)\"")
    }

    @Test(
        arguments: [
            "a", "x41", "0", "'", "u", "u0", "u004", "u00G1", "U0041", "u 041", "u+041", "u-041", "u{41}", "\u{E9}",
            "\n",
            "uD834", "uDD1E", "uDD1E\\uD834", "uD834\\u0041", "uD834x", "uD834\\n", "uD834\\uD834", "uD834\\u", "uDBFF",
            "uD834\\uDD1", "u\u{FF10}041",
        ])
    func `an escape is refused`(escape: String) {
        expectSyntaxError(Array("\"\\\(escape)\"".utf8))
        expectSyntaxError(Array("{\"\\\(escape)\":1}".utf8))
        expectSyntaxError(Array("\"\\\(escape)".utf8))
    }

    @Test(arguments: UInt8(0)..<0x20)
    func `a control character in a string must be escaped`(byte: UInt8) throws {
        for padding in 0..<9 {
            let text = Array("\"".utf8) + Array(repeating: 0x61, count: padding) + [byte] + Array("aaaaaaaa\"".utf8)
            expectSyntaxError(text)
        }
        let hex = String(byte, radix: 16)
        _ = try RawJSON(checking: "\"\\u00\(hex.count == 1 ? "0" : "")\(hex)\"")
    }

    @Test func `U+007F and non-ASCII characters need no escapes`() throws {
        let text = "\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FEFF}\u{FFFD}\u{FFFF}\u{10000}\u{10FFFF}"
        #expect(
            try RawJSON(checking: "\"\(text)\"").read(as: .string).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2],
            [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE0, 0xA0], [0xE1, 0x80], [0xE1], [0xE1, 0x80, 0x41],
            [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0xB4, 0xED, 0xB4, 0x9E], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90],
            [0xF0, 0x90, 0x80], [0xF0, 0x90, 0x80, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3, 0xA9, 0xA9],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        expectSyntaxError([quote] + bytes + [quote])
        expectSyntaxError([quote] + bytes)
        expectSyntaxError(Array("{\"".utf8) + bytes + Array("\":1}".utf8))
        expectSyntaxError([quote] + bytes + Array("plain characters\"".utf8))
        expectSyntaxError(bytes)
    }

    @Test func `other encodings and byte-order marks are refused`() {
        expectSyntaxError([0xEF, 0xBB, 0xBF, 0x7B, 0x7D])
        expectSyntaxError([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00])
        expectSyntaxError([0x00, 0x7B, 0x00, 0x7D])
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
    func `nesting is accepted up to 64 and refused from 65 on`(opening: String, closing: String) throws {
        func nested(_ depth: Int) -> String {
            let pairs = depth / opening.count { "[{".contains($0) }
            let rest = depth % opening.count { "[{".contains($0) }
            return String(repeating: opening, count: pairs) + (rest == 0 ? "0" : "[]")
                + String(repeating: closing, count: pairs)
        }
        _ = try RawJSON(checking: nested(64))
        expectSyntaxError(Array(nested(65).utf8))
        expectSyntaxError(Array(nested(100_000).utf8))
        expectSyntaxError(Array(String(repeating: opening, count: 100_000).utf8))
    }

    @Test func `many adjacent values are no nesting`() throws {
        _ = try RawJSON(checking: "[" + Array(repeating: "[{}]", count: 1_000).joined(separator: ",") + "]")
    }

    // MARK: Duplicate members

    @Test(
        arguments: [
            "{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"a\":3}", "{\"\":1,\"\":2}", "{\"a\":1,\"\\u0061\":2}",
            "{\"\\u0061\":1,\"a\":2}", "{\"\\u00e9\":1,\"\u{E9}\":2}", "{\"\\/\":1,\"/\":2}",
            "[{\"x\":{\"a\":1,\"a\":2}}]",
            "{\"\\ud834\\udd1e\":1,\"\u{1D11E}\":2}",
        ])
    func `a member that appears twice is refused, however it is spelled`(text: String) {
        expectSyntaxError(Array(text.utf8))
    }

    @Test(
        arguments: [
            "{\"a\":{\"a\":{\"a\":1}}}", "[{\"a\":1},{\"a\":1}]", "{\"a\":{\"b\":1},\"b\":{\"a\":1}}",
            // Canonically equivalent, but different in JSON: members are compared by code points.
            "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func `members of different objects, or with different code points, are no duplicates`(text: String) throws {
        _ = try RawJSON(checking: text)
    }

    @Test(arguments: [2, 15, 16, 17, 18, 64, 1_000])
    func `duplicates are found in objects of any size`(count: Int) throws {
        func object(_ names: [String]) -> String {
            "{" + names.map { "\"\($0)\":{\"n0\":1}" }.joined(separator: ",") + "}"
        }
        let names = (0..<count).map { "n\($0)" }
        _ = try RawJSON(checking: object(names))
        for duplicate in [names[0], names[count - 1], "\\u006e0"] {
            expectSyntaxError(Array(object(names + [duplicate]).utf8))
            expectSyntaxError(Array(object([duplicate] + names).utf8))
            expectSyntaxError(Array(object(["\\u0061", duplicate] + names).utf8))
        }
        _ = try RawJSON(checking: object(["\\u0061"] + names))
        // As above: canonically equivalent, but different.
        _ = try RawJSON(checking: object(names + ["\u{E9}", "e\u{301}"]))
    }

    private func expectSyntaxError(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        do {
            _ = try RawJSON(checking: bytes)
            Issue.record(
                "accepted: \(String(decoding: bytes.prefix(80), as: UTF8.self))", sourceLocation: sourceLocation)
        } catch {
            guard case .syntax(_, let offset) = error, (0...bytes.count).contains(offset) else {
                Issue.record("not a syntax error within the text: \(error)", sourceLocation: sourceLocation)
                return
            }
        }
    }
}
