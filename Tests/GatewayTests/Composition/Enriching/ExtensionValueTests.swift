import JSON
import Testing

@testable import gateway

@Suite struct ExtensionValueTests {
    private func isAccepted(_ text: String) throws -> Bool {
        let value = try RawJSON(checking: text)
        do {
            try ExtensionValue.check(value)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [4_094, 4_095]) func `a value has at most 4,096 bytes`(count: Int) throws {
        #expect(try isAccepted("\"\(String(repeating: "x", count: count))\"") == (count == 4_094))
    }

    @Test(arguments: [8, 9]) func `a value is nested at most eight times`(depth: Int) throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            #expect(try isAccepted(text) == (depth == 8))
        }
    }

    @Test func `brackets in texts do not count`() throws {
        #expect(try isAccepted("[" + Array(repeating: #""[{\"[\\""#, count: 20).joined(separator: ",") + "]"))
        #expect(try isAccepted("[" + Array(repeating: "[]", count: 20).joined(separator: ",") + "]"))
    }

    @Test(arguments: [
        #""\u0000""#, #""\u0007""#, #""\u001f""#, #""\u007F""#, #""\u0080""#, #""\u009f""#, #""\b""#, #""\f""#,
        #""\r""#,
        "\"\u{7F}\"", "\"\u{80}\"", "\"\u{9F}\"", #"{"a\u0000":1}"#, #"[{"a":"\\\u001b"}]"#,
    ])
    func `a control character is refused`(text: String) throws {
        #expect(try !isAccepted(text))
    }

    @Test(arguments: [
        #""\n\t\u000a\u0009""#, #""\\b\\u0000""#, #""\u0020\u00a0\u007e""#, "\"\u{A0}é漢\u{1F600}\"", "3", "true",
        #"{"text":"a"}"#,
    ])
    func `other characters are accepted`(text: String) throws {
        #expect(try isAccepted(text))
    }
}
