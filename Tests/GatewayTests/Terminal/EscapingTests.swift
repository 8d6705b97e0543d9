import JSON
import ServiceKit
import Testing

@testable import gateway

struct EscapingTests {
    @Test(
        arguments: [
            ("one\ntwo", #"one\ntwo"#),
            ("one\r\ntwo", #"one\r\ntwo"#),
            ("one\ttwo", #"one\ttwo"#),
            ("\u{1B}[31mred", #"\u{1B}[31mred"#),
            ("\u{1B}]0;title\u{7}", #"\u{1B}]0;title\u{7}"#),
            ("\u{0}\u{8}\u{7F}", #"\u{0}\u{8}\u{7F}"#),
            ("\u{9B}31m\u{85}\u{9D}", #"\u{9B}31m\u{85}\u{9D}"#),
            ("cod\u{202E}gpj", #"cod\u{202E}gpj"#),
            ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
            ("\u{301}\u{7}\u{301}", "\u{301}" + #"\u{7}"# + "\u{301}"),
        ])
    func `characters that control the terminal are escaped`(text: String, visible: String) {
        #expect(Escaping.visible(text) == visible)
    }

    @Test(arguments: [0x0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x61C...0x61C])
    func `every control and bidirectional control is escaped`(range: ClosedRange<Int>) throws {
        for value in range {
            let scalar = try #require(Unicode.Scalar(value))
            let visible = Escaping.visible("a\(scalar)b")
            #expect(visible.hasPrefix(#"a\"#) && visible.hasSuffix("b"))
            #expect(!visible.unicodeScalars.contains(scalar))
        }
    }

    @Test(arguments: [0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x61C...0x61C])
    func `JSON with controls remains the same JSON`(range: ClosedRange<Int>) throws {
        for value in range {
            let text = "a\(try #require(Unicode.Scalar(value)))b"
            let json = Escaping.json("[\n\"\(text)\"]")
            #expect(json.unicodeScalars.allSatisfy { $0.isASCII && $0.value != 0x7F })
            #expect(try JSONValue(json: json).elements?.first?.text == text)
        }
    }

    @Test(
        arguments: [
            "", "plain", #"back\slash \n"#, "漢字", "👩‍👩‍👧 🇨🇭 ❤️ 👍🏽", "مرحبا שלום", "नमस्ते", "e\u{301}", "~ \u{A0}",
        ])
    func `all other characters are unchanged`(text: String) {
        #expect(Escaping.visible(text) == text)
    }

    @Test func `escaping twice equals escaping once`() {
        let once = Escaping.visible("\u{1B}[2J\n")
        #expect(Escaping.visible(once) == once)
    }
}
