import Testing

@testable import gateway

@Suite struct XMLWriterTests {
    @Test func `elements are nested, with their attributes and texts`() {
        var writer = XMLWriter()
        writer.element("a", ["b": "1", "c": "<\">"]) { writer in
            writer.element("d", text: "e & f")
            writer.element("g", ["h": "i"])
            writer.element("j", text: "")
        }
        let expected = """
            <?xml version="1.0" encoding="utf-8"?>
            <a b="1" c="&lt;&quot;&gt;">
            <d>e &amp; f</d>
            <g h="i"/>
            <j></j>
            </a>

            """
        #expect(writer.text == expected)
    }

    @Test(arguments: [
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"), ("]]>", "]]&gt;"), ("<![CDATA[", "&lt;![CDATA["),
        ("\"'", "&quot;'"), ("&amp;", "&amp;amp;"), ("<script>", "&lt;script&gt;"),
        ("{{x}} ${y} <%= z %>", "{{x}} ${y} &lt;%= z %&gt;"),
        // A mark-up character with a combining accent is one character of Swift.
        ("\"\u{301}<\u{301}", "&quot;\u{301}&lt;\u{301}"),
    ])
    func `mark-up is escaped`(text: String, escaped: String) {
        #expect(XMLWriter.escaped(text) == escaped)
    }

    @Test func `white space that parsers normalise is a reference`() {
        #expect(XMLWriter.escaped("a\tb\nc\rd\r\ne f") == "a&#9;b&#10;c&#13;d&#13;&#10;e f")
    }

    /// The first and the last scalar of each range that XML 1.0 forbids.
    @Test(arguments: [0x0, 0x8, 0xB, 0xC, 0xE, 0x1B, 0x1F, 0xFFFE, 0xFFFF] as [UInt32])
    func `a forbidden character is replaced`(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(XMLWriter.escaped("a\(Character(scalar))b") == "a\u{FFFD}b")
    }

    /// The scalars beside the forbidden ones, and characters that only other formats forbid.
    @Test(
        arguments: [
            0x20, 0x7F, 0x85, 0x9F, 0xA0, 0x200B, 0x200D, 0x2028, 0x202E, 0x2066, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD,
            0x1_0000,
            0x1_F3D6, 0x1_FFFF, 0x10_FFFF,
        ] as [UInt32])
    func `an allowed character is unchanged`(value: UInt32) throws {
        let text = "a\(Character(try #require(Unicode.Scalar(value))))b"
        #expect(Array(XMLWriter.escaped(text).unicodeScalars) == Array(text.unicodeScalars))
    }
}
