import Testing

@testable import JSON

/// Strings with escapes, and long texts.
struct StringDecodingTests {
    private func decoded(_ text: String, atMost count: Int = .max) throws -> String {
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
            var reader = JSONReader(checking: bytes)
            let string = try #require(try reader.skipString())
            return reader.decode(string, atMost: count)
        }
    }

    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\u0061""#, "a"), (#""\u00e9\u00E9""#, "éé"), (#""\u20ac""#, "€"),
        (#""\ud83d\ude00""#, "😀"), (#""\uD800\uDC00""#, "\u{10000}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        (#""\u0000""#, "\0"), (#""\uffff""#, "\u{FFFF}"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""x\u0061y😀\nz""#, "xay😀\nz"), (#""\\u0061""#, "\\u0061"),
    ])
    func `escapes are decoded`(text: String, string: String) throws {
        #expect(Array(try decoded(text).unicodeScalars) == Array(string.unicodeScalars))
    }

    @Test(arguments: [
        (#""a\ud83dz""#, "a\u{FFFD}z"), (#""\udE00""#, "\u{FFFD}"), (#""\ud83d""#, "\u{FFFD}"),
        (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        (#""\ud83d\u0061\n""#, "\u{FFFD}a\n"), (#""\\ud83d""#, "\\ud83d"),
    ])
    func `a lone surrogate is refused, and U+FFFD in files of other programs`(text: String, string: String) throws {
        let isPlain = text.hasPrefix(#""\\"#)
        #expect((try? RawJSON(checking: text)) == nil || isPlain)
        let decoded = try RawJSON(lenient: text.utf8).read(as: .string)
        #expect(Array(decoded.unicodeScalars) == Array(string.unicodeScalars))
    }

    @Test func `U+0000 is U+FFFD in files of other programs`() throws {
        #expect(
            try RawJSON(lenient: #"["a\u0000\u0000","\\u0000"]"#.utf8).description == #"["a\ufffd\ufffd","\\u0000"]"#)
    }

    @Test(arguments: [("[", "]"), (#"{"[a":"#, "}")])
    func `a value that is nested too deep is an empty text in files of other programs`(
        open: String, close: String
    ) throws {
        func nested(_ depth: Int, _ value: String = "1") -> String {
            String(repeating: open, count: depth) + value + String(repeating: close, count: depth)
        }
        let limit = JSONReader.maximumDepth
        #expect(try RawJSON(lenient: nested(limit).utf8).description == nested(limit))
        #expect(throws: JSONError.self) { try RawJSON(checking: nested(limit + 1)) }
        for depth in [limit + 1, limit + 2, 100_000] {
            let text = #"{"posts":["first","# + nested(depth) + #",{"text":"last"}]}"#
            let posts = try JSONValue(RawJSON(lenient: text.utf8))["posts"]
            #expect(posts?.elements?.count == 3 && posts?.elements?.last?["text"]?.text == "last")
        }
        let deepest = try RawJSON(lenient: nested(limit, "\(open)1\(close)").utf8).description
        #expect(deepest.filter { $0 != " " } == nested(limit, #""""#))
        // A text that ends inside is refused.
        #expect(throws: JSONError.self) { try RawJSON(lenient: String(repeating: open, count: 100_000).utf8) }
    }

    @Test func `a control character is a space in files of other programs`() throws {
        #expect(throws: JSONError.self) { try RawJSON(checking: "[\"a\tb\nc\\\u{1}\"]") }
        #expect(try RawJSON(lenient: "[\"a\tb\nc\"]".utf8).description == #"["a b c"]"#)
        // White space between values stays.
        #expect(try RawJSON(lenient: "[\n\"a\"]".utf8).description == "[\n\"a\"]")
    }

    @Test(arguments: [#""\ud83d""#, #""\ud8""#, #""\x""#, #""\"#, #"["\ud800","\x"]"#])
    func `an escape that is none is refused in every file`(text: String) {
        let cut = text.hasPrefix(#""\ud83d"#) ? String(text.dropLast()) : text
        #expect(throws: JSONError.self) { try RawJSON(lenient: cut.utf8) }
    }

    @Test(arguments: [1, 15, 16, 17, 63, 64, 65, 200])
    func `an escape is decoded at any distance from the others`(distance: Int) throws {
        let plain = String(repeating: "p", count: distance)
        #expect(try decoded("\"\(plain)\\u0041\(plain)\\n\(plain)\"") == "\(plain)A\(plain)\n\(plain)")
    }

    @Test(arguments: [
        (#""abcd""#, 4, "abcd"), (#""abcd""#, 3, "abc"), (#""abcd""#, 0, ""), (#""aé""#, 2, "a"), (#""aé""#, 3, "aé"),
        (#""a\u0062c""#, 6, "a"), (#""a\u0062c""#, 7, "ab"), (#""\ud83d\ude00b""#, 11, ""),
        (#""\ud83d\ude00b""#, 12, "😀"), (#""\\\\""#, 3, "\\"), (#""😀b""#, 3, ""), (#""😀b""#, 4, "😀"),
    ])
    func `the beginning of a string ends between two characters`(text: String, count: Int, string: String) throws {
        #expect(try decoded(text, atMost: count) == string)
    }

    @Test(arguments: [0, 1]) func `a number may have 2,048 bytes`(excess: Int) {
        let text = String(repeating: "1", count: JSONReader.longestNumber + excess)
        let result = Result { () throws(JSONError) in try RawJSON(checking: text) }
        #expect((try? result.get()) == nil || excess == 0)
        if case .failure(let error) = result {
            #expect(excess == 1 && "\(error)".contains("a number is longer than 2048 bytes"))
        }
    }

    @Test(arguments: [16, 17, 1_000])
    func `a duplicate is found among many names, in any spelling`(count: Int) throws {
        let names = (0..<count).map { #""n\#($0)""# }
        let object = { (names: [String]) in "{" + names.map { $0 + ":0" }.joined(separator: ",") + "}" }
        _ = try RawJSON(checking: object(names))
        for again in [#""n0""#, #""\u006e0""#, names[count - 1]] {
            #expect(throws: JSONError.self) { try RawJSON(checking: object(names + [again])) }
        }
        // Equal for Swift's strings, but not for JSON.
        _ = try RawJSON(checking: object(names + ["\"\u{E9}\"", "\"e\u{301}\""]))
    }
}
