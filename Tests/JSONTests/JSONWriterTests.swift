import Foundation
import JSON
import RPCTestKit
import Testing

struct JSONWriterTests {
    @Test(
        arguments: [
            ("", "\"\""), ("plain text", "\"plain text\""), ("\"\\", "\"\\\"\\\\\""), ("/", "\"/\""),
            ("\u{8}\t\n\u{C}\r", "\"\\b\\t\\n\\f\\r\""), ("\u{0}\u{1}\u{1F}", "\"\\u0000\\u0001\\u001f\""),
            ("\u{7F}\u{80}\u{2028}\u{1D11E}", "\"\u{7F}\u{80}\u{2028}\u{1D11E}\""), ("12345678\"", "\"12345678\\\"\""),
            ("\u{E9}e\u{301}", "\"\u{E9}e\u{301}\""),
        ])
    func `a string is escaped where it must be and nowhere else`(text: String, json: String) throws {
        let written = RawJSON(text, as: .string)
        #expect(Array(written.description.utf8) == Array(json.utf8))
        #expect(try Array(written.read(as: .string).utf8) == Array(text.utf8))
    }

    @Test(arguments: ["\"", "\\", "\n", "\u{1F}", "\u{7F}", "\u{E9}", "\u{FFFD}", "\u{1D11E}"])
    func `a character is written and read at any position in a string of any length`(character: String) throws {
        for length in [0, 1, 14, 15, 16, 17, 31, 62, 63, 64, 65, 80, 130] {
            for place in 0...length {
                let plain = (String(repeating: "a", count: place), String(repeating: "b", count: length - place))
                let text = plain.0 + character + plain.1
                let json = RawJSON([text, plain.0], as: .array(of: .string))
                let checked = try RawJSON(checking: " \(json) ")
                #expect(checked == json)
                #expect(try checked.read(as: .array(of: .string)) == [text, plain.0])
            }
        }
    }

    @Test(
        arguments: [
            (0, "0"), (-1, "-1"), (9, "9"), (10, "10"), (-120, "-120"), (.max, "9223372036854775807"),
            (.min, "-9223372036854775808"),
        ] as [(Int, String)])
    func `an integer is written in decimal`(number: Int, text: String) {
        #expect(RawJSON(number, as: .integer()).description == text)
    }

    @Test func `members and elements are separated by commas`() {
        var writer = JSONWriter()
        writer.array([1, 2, 3]) { number, writer in
            writer.object { writer in
                guard number > 1 else { return }
                writer.name("a\"b")
                writer.integer(-number)
                writer.name("c")
                writer.array([] as [Int]) { _, _ in }
                writer.name(encoded: Array("\"d\"".utf8))
                writer.boolean(number == 2)
                writer.name("e")
                writer.null()
            }
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                [{},{"a\\"b":-2,"c":[],"d":true,"e":null},{"a\\"b":-3,"c":[],"d":false,"e":null}]
                """)
    }

    @Test(arguments: [0, 1, 2, 5, 20, 300, 70_000])
    func `a text that does not fit into the borrowed memory moves to memory of its own`(room: Int) {
        let text = String(repeating: "0123456789é\n", count: 10)
        let whole = RawJSON([text, text, text], as: .array(of: .string)).bytes
        var lent = [UInt8](repeating: 0, count: room + 1)
        lent.withUnsafeMutableBytes { memory in
            var writer = JSONWriter(in: memory, takesAttachments: false)
            Codec.array(of: .string).write([text, text, text], &writer)
            #expect(writer.count == whole.count && writer.bytes == whole)
            let moved = writer.takeMovedText()
            #expect((moved == nil) == (whole.count <= memory.count))
            #expect(moved.map { Array($0) == whole } ?? memory.prefix(whole.count).elementsEqual(whole))
            moved?.deallocate()
        }
    }

    @Test func `every string survives being written and read, here and by Foundation`() throws {
        var generator = SeededRandom(seed: 2)
        for _ in 0..<2_000 {
            let text = String.random(using: &generator)
            let json = RawJSON([text], as: .array(of: .string))
            let read = try RawJSON(checking: json.description).read(as: .array(of: .string))
            #expect(read.map { Array($0.utf8) } == [Array(text.utf8)])
            let foundation = try JSONSerialization.jsonObject(with: Data(json.description.utf8)) as? [String]
            #expect(foundation?.first.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func `every string with all characters escaped is read like the plain string`() throws {
        var generator = SeededRandom(seed: 3)
        for _ in 0..<1_000 {
            let text = String.random(using: &generator)
            let escaped = text.utf16.map { unit in
                let hex = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
                return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
            let read = try RawJSON(checking: "\"\(escaped.joined())\"").read(as: .string)
            #expect(Array(read.utf8) == Array(text.utf8))
        }
    }

    @Test func `every value that is written is valid JSON`() throws {
        var generator = SeededRandom(seed: 4)
        for _ in 0..<500 {
            var writer = JSONWriter()
            writer.random(depth: 0, using: &generator)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            let json = try RawJSON(checking: text)
            #expect(json.description == text)
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
    }

    @Test func `a truncated text is refused`() async {
        await apart {
            var generator = SeededRandom(seed: 5)
            for _ in 0..<50 {
                var writer = JSONWriter()
                writer.array([0]) { $1.random(depth: 1, using: &generator) }
                let bytes = writer.bytes
                for length in 0..<bytes.count {
                    #expect(throws: JSONError.self) { try RawJSON(checking: bytes[..<length]) }
                }
            }
        }
    }
}

extension String {
    /// Dozens of scalars, with all classes about equally frequent.
    static func random(using generator: inout SeededRandom) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x22...0x22, 0x5C...0x5C, 0x7F...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF,
            0x10000...0x10FFFF,
        ]
        var scalars = UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
            if let scalar = UnicodeScalar(UInt32.random(in: range, using: &generator)) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}

extension JSONWriter {
    fileprivate mutating func random(depth: Int, using generator: inout SeededRandom) {
        switch Int.random(in: depth > 5 ? 2...5 : 0...5, using: &generator) {
        case 0:
            let count = Int.random(in: 0...5, using: &generator)
            let seeds = (0..<count).map { _ in generator.next() }
            array(seeds) { seed, writer in
                var generator = SeededRandom(seed: seed)
                writer.random(depth: depth + 1, using: &generator)
            }
        case 1:
            let count = Int.random(in: 0...5, using: &generator)
            object { writer in
                for index in 0..<count {
                    writer.name("\(index)" + String.random(using: &generator))
                    writer.random(depth: depth + 1, using: &generator)
                }
            }
        case 2: string(.random(using: &generator))
        case 3: integer(.random(in: .min ... .max, using: &generator))
        case 4: boolean(.random(using: &generator))
        default: null()
        }
    }
}
