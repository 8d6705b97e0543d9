import Foundation
import JSON
import Testing

struct CodecTests {
    // MARK: Objects

    private struct Letter: Sendable, Equatable {
        var id: Int
        var note: String?
        var parts: [Part] = []

        struct Part: Sendable, Equatable {
            var name: String

            static let codec = Codec<Part>.object { object in
                let name = object.required("name", .string, \.name)
                return { members throws(JSONError) in Part(name: try members[name]) }
            }
        }

        static let codec = Codec<Letter>.object { object in
            let id = object.required("id", .integer(), \.id)
            let note = object.optional("note", .string, \.note)
            let parts = object.optional("parts", .array(of: Part.codec), { $0.parts.isEmpty ? nil : $0.parts })
            return { members throws(JSONError) in
                Letter(id: try members[id], note: try members[note], parts: try members[parts] ?? [])
            }
        }
    }

    @Test(
        arguments: [
            (#"{"id":1}"#, Letter(id: 1)), (#"{"id":1,"note":null}"#, Letter(id: 1)),
            (#"{"note":"n","id":1}"#, Letter(id: 1, note: "n")),
            (#"{"\u0069d":1,"n\u006Fte":"n"}"#, Letter(id: 1, note: "n")),
            (
                #" { "id" : 1 , "parts" : [ { "name" : "a" } , {"name":"b"} ] } "#,
                Letter(id: 1, parts: [.init(name: "a"), .init(name: "b")])
            ),
        ] as [(String, Letter)])
    private func `an object is read in any order and spelling; null and absent optional members are equal`(
        json: String, letter: Letter
    ) throws {
        #expect(try RawJSON(checking: json).read(as: Letter.codec, refusingUnknownMembers: true) == letter)
    }

    @Test(
        arguments: [
            "1", "-1.5e3 ", "null", "false", #""""#, #""]},\"\\""#, "[]", "{ }",
            #"[{"a":"]}\"","b":[{}, "\\"]}, [[]]]"#,
            #"{"note":"another","id":[2]}"#,
        ])
    func `the value of an unknown member is skipped, whatever it contains`(value: String) throws {
        for json in [
            #"{"x":\#(value),"id":1,"y":\#(value),"note":"n"}"#, #"{"id":1,"note":"n","x" : \#(value) }"#,
        ] {
            #expect(try RawJSON(checking: json).read(as: Letter.codec) == Letter(id: 1, note: "n"))
        }
    }

    @Test(
        arguments: [
            ("{}", "id", "is missing"), (#"{"id":null}"#, "id", "must be an integer"),
            (#"{"id":"1"}"#, "id", "must be an integer"), (#"{"id":1,"note":2}"#, "note", "must be a string"),
            (#"{"id":1,"note":false}"#, "note", "must be a string"),
            (#"{"id":1,"parts":{}}"#, "parts", "must be an array"),
            (#"{"id":1,"parts":[1]}"#, "parts[0]", "must be an object"),
            (#"{"id":1,"parts":[{"name":"a"},{}]}"#, "parts[1].name", "is missing"),
            (#"{"id":1,"parts":[null]}"#, "parts[0]", "must be an object"),
            ("[]", "", "must be an object"), ("null", "", "must be an object"), ("\"id\"", "", "must be an object"),
        ])
    func `an invalid value is reported with its path`(json: String, path: String, reason: String) throws {
        let json = try RawJSON(checking: json)
        #expect(throws: JSONError.mismatch(path: path, reason: reason)) { try json.read(as: Letter.codec) }
        #expect(throws: JSONError.mismatch(path: path, reason: reason)) {
            try json.read(as: Letter.codec, refusingUnknownMembers: true)
        }
    }

    @Test(
        arguments: [
            (#"{"id":1,"new":2}"#, "new"), (#"{"id":1,"Id":2}"#, "Id"), (#"{"id":1,"":null}"#, ""),
            (#"{"id":1,"parts":[{"name":"a","new":{}}]}"#, "parts[0].new"), (#"{"id":1,"\u006eew":2}"#, "new"),
        ])
    func `an unknown member is ignored, but refused in parameters`(json: String, path: String) throws {
        let json = try RawJSON(checking: json)
        #expect(try json.read(as: Letter.codec).id == 1)
        let error = #expect(throws: JSONError.self) { try json.read(as: Letter.codec, refusingUnknownMembers: true) }
        guard case .mismatch(path, "is not a known member") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an error repeats only the beginning of a name that the peer has made up`() throws {
        let json = try RawJSON(checking: #"{"id":1,"\#(String(repeating: "e\u{301}", count: 50_000))":2}"#)
        let error = #expect(throws: JSONError.self) { try json.read(as: Letter.codec, refusingUnknownMembers: true) }
        guard case .mismatch(let path, "is not a known member") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == String(repeating: "e\u{301}", count: 21) + "e")
    }

    @Test(
        arguments: [
            (Letter(id: 1), #"{"id":1}"#), (Letter(id: -1, note: ""), #"{"id":-1,"note":""}"#),
            (Letter(id: 0, note: "n", parts: [.init(name: "\"")]), #"{"id":0,"note":"n","parts":[{"name":"\""}]}"#),
        ] as [(Letter, String)])
    private func `members are written in the order of their declaration, absent ones not at all`(
        letter: Letter, json: String
    ) throws {
        #expect(RawJSON(letter, as: Letter.codec).description == json)
        #expect(try RawJSON(letter, as: Letter.codec).read(as: Letter.codec) == letter)
    }

    @Test func `an object of sixteen members is read and written`() throws {
        struct Wide: Sendable {
            var values: [Int]
            static let codec = Codec<Wide>.object { object in
                let members = (0..<16).map { index in object.required("m\(index)", .integer(), { $0.values[index] }) }
                return { found throws(JSONError) in
                    var values: [Int] = []
                    for member in members { values.append(try found[member]) }
                    return Wide(values: values)
                }
            }
        }
        let json = RawJSON(Wide(values: Array(100..<116)), as: Wide.codec)
        #expect(try json.read(as: Wide.codec).values == Array(100..<116))
    }

    // MARK: Numbers and booleans

    struct Parcel: Sendable, Equatable {
        var id: Int
        var note: Note?
        var weight: Int?

        struct Note: Sendable, Equatable { var from: String, to: String? }

        static let codec = Codec<Parcel>.object { object in
            let id = object.required("id", .integer(), \.id)
            let (from, to) = object.part(\.note) { note in
                (note.optional("from", .string, \.from), note.optional("to", .string, \.to))
            }
            let weight = object.optional("weight", .integer(), \.weight)
            return { members throws(JSONError) in
                let sender = try members[from]
                let to = try members[to]
                return Parcel(
                    id: try members[id], note: sender.map { Note(from: $0, to: to) }, weight: try members[weight])
            }
        }
    }

    @Test(
        arguments: [
            (Parcel(id: 1, note: nil, weight: 2), #"{"id":1,"weight":2}"#),
            (Parcel(id: 1, note: Parcel.Note(from: "a", to: nil), weight: 2), #"{"id":1,"from":"a","weight":2}"#),
            (Parcel(id: 1, note: Parcel.Note(from: "a", to: "b"), weight: nil), #"{"id":1,"from":"a","to":"b"}"#),
        ])
    func `the members of a part stand among the others, and are absent with it`(parcel: Parcel, json: String)
        throws
    {
        #expect("\(RawJSON(parcel, as: Parcel.codec))" == json)
        #expect(try RawJSON(checking: json).read(as: Parcel.codec) == parcel)
    }

    @Test(arguments: [(0, false), (1, true), (100, true), (101, false), (-1, false)])
    func `an integer is accepted at its bounds and refused beyond`(value: Int, isAccepted: Bool) throws {
        let json = RawJSON(value, as: .integer())
        if isAccepted {
            #expect(try json.read(as: .integer(1...100)) == value)
        } else {
            #expect(throws: JSONError.refused("must be from 1 to 100, is \(value)")) {
                try json.read(as: .integer(1...100))
            }
        }
    }

    @Test func `a boolean is true or false and nothing else`() throws {
        #expect(try RawJSON(checking: "true").read(as: .boolean))
        #expect(try !RawJSON(checking: "false").read(as: .boolean))
        for other in ["null", "0", "1", "\"true\"", "[]", "{}"] {
            let json = try RawJSON(checking: other)
            #expect(throws: JSONError.refused("must be true or false")) { try json.read(as: .boolean) }
        }
    }

    // MARK: Strings

    @Test(
        arguments: [
            ("a", "a"), (" \t\r\n a b \u{A0}\u{2003}\u{85}", "a b"), ("abcde", "abcde"), ("  abcde  ", "abcde"),
            ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
            ("a\r\nb\r\nc", "a\nb\nc"), ("a\r\rb\r", "a\n\nb"), ("a\n\r\nb\r", "a\n\nb"),
            ("\r\n\ra\r\u{301}b", "a\n\u{301}b"),
        ])
    func `a trimmed text is accepted`(text: String, trimmed: String) throws {
        #expect(try RawJSON(text, as: .string).read(as: .trimmed(1...5)) == trimmed)
    }

    @Test(arguments: ["", " ", "\n\t", "abcdef", "  abcdef", "e\u{301}e\u{301}e\u{301}", "a\u{0}b", "\u{0}", "a\u{0}"])
    func `a trimmed text of too many or too few scalars, or with U+0000, is refused`(text: String) throws {
        let json = RawJSON(text, as: .string)
        #expect(throws: JSONError.self) { try json.read(as: .trimmed(1...5)) }
    }

    @Test(
        arguments: [
            "https://example.com", "http://example.com/a?b=c&d=%20#f", "HTTPS://EXAMPLE.COM",
            "https://[::1]:8080/~a_b-c.d",
            "https://" + String(repeating: "a", count: 2_040),
        ])
    func `a URI is accepted`(text: String) throws {
        #expect(try RawJSON(text, as: .string).read(as: .uri(schemes: ["https", "http"])) == text)
    }

    @Test(
        arguments: [
            "", "https", "https:", "ftp://example.com", "file:///etc/passwd", "javascript:alert(1)", "example.com",
            "//example.com",
            "/path", " https://example.com", "https://example.com ", "https://exam ple.com", "https://ex\u{E4}mple.com",
            "https://example.com/\n", "https://example.com/\u{0}", "https://example.com/<>", "https://example.com/\\a",
            "https://example.com/\"", "xhttps://example.com", "https://" + String(repeating: "a", count: 2_041),
        ])
    func `a URI that is invalid, too long or of another scheme is refused`(text: String) throws {
        let json = RawJSON(text, as: .string)
        #expect(throws: JSONError.self) { try json.read(as: .uri(schemes: ["https", "http"])) }
    }

    private enum Colour: String, CaseIterable, Sendable { case red, green = "dark green" }

    @Test func `one of several strings is accepted, others are refused with the list`() throws {
        #expect(try RawJSON(checking: "\"red\"").read(as: Codec<Colour>.oneOf) == .red)
        #expect(RawJSON(Colour.green, as: .oneOf).description == "\"dark green\"")
        for other in ["\"Red\"", "\"\"", "\"red \"", "\"green\""] {
            let json = try RawJSON(checking: other)
            #expect(throws: JSONError.refused("must be one of red, dark green")) {
                try json.read(as: Codec<Colour>.oneOf)
            }
        }
    }

    @Test(
        arguments: [
            "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E", "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e",
            "7f3D9a60-0C1e-4b5E-9c57-0a3C7b1c2D4e",
        ])
    func `a UUID is read in any case and written in upper case`(text: String) throws {
        let id = try RawJSON(text, as: .string).read(as: .uuid)
        #expect(RawJSON(id, as: .uuid).description == "\"7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E\"")
    }

    @Test(
        arguments: [
            "", "7F3D9A60", "7F3D9A600C1E4B5E9C570A3C7B1C2D4E", "{7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E}",
            "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4G", "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4",
            "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E5",
            "7F3D9A600-C1E-4B5E-9C57-0A3C7B1C2D4E", "+F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E",
            " F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E",
            "0x3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E", "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4\u{0}",
            "7F3D9A60_0C1E_4B5E_9C57_0A3C7B1C2D4E",
        ])
    func `an invalid UUID is refused`(text: String) {
        let json = RawJSON(text, as: .string)
        #expect(throws: JSONError.self) { try json.read(as: .uuid) }
    }

    // MARK: Collections

    @Test(arguments: [(0, false), (1, false), (2, true), (3, true), (4, false)])
    func `an array is accepted at its bounds and refused beyond`(count: Int, isAccepted: Bool) throws {
        let numbers = Array(0..<count)
        let json = RawJSON(numbers, as: .array(of: .integer()))
        let codec = Codec<[Int]>.array(of: .integer(), count: 2...3)
        if isAccepted {
            #expect(try json.read(as: codec) == numbers)
        } else {
            #expect(throws: JSONError.self) { try json.read(as: codec) }
        }
    }

    @Test func `an element is reported with its index`() throws {
        let json = try RawJSON(checking: "[[1],[2,\"3\"]]")
        #expect(throws: JSONError.mismatch(path: "[1][1]", reason: "must be an integer")) {
            try json.read(as: .array(of: .array(of: .integer())))
        }
    }

    @Test func `a dictionary is written in the order of its names, and reports members with their path`() throws {
        let codec = Codec<[String: Int]>.dictionary(of: .integer())
        #expect(RawJSON(["b": 2, "a": 1, "\"": 3], as: codec).description == #"{"\"":3,"a":1,"b":2}"#)
        #expect(
            try RawJSON(checking: #"{"b":2,"\u0061":1}"#).read(as: codec, refusingUnknownMembers: true) == [
                "a": 1, "b": 2,
            ])
        let json = try RawJSON(checking: #"{"a":{}}"#)
        #expect(throws: JSONError.mismatch(path: "a", reason: "must be an integer")) { try json.read(as: codec) }
    }

    @Test func `a name that is data and not ASCII has at most 1,024 bytes`() throws {
        let codec = Codec<[String: Int]>.dictionary(of: .integer())
        let name = String(repeating: "\u{301}", count: 512)
        #expect(try RawJSON(checking: #"{"\#(name)":1}"#).read(as: codec) == [name: 1])
        let error = #expect(throws: JSONError.self) { try RawJSON(checking: #"{"\#(name)a":1}"#).read(as: codec) }
        #expect(error?.description.hasSuffix(": must have at most 1024 bytes, or only ASCII") == true)
        let url = "https://images.example/" + String(repeating: "a", count: 4_096)
        #expect(try RawJSON(checking: #"{"\#(url)":1}"#).read(as: codec) == [url: 1])
    }

    @Test(arguments: ["1.50", "{\"b\":[ 1 ]}", "\"\\u0061\"", "null", "-0"])
    func `any value is preserved as it was written`(text: String) throws {
        #expect(try RawJSON(checking: "[ \(text) ]").read(as: .array(of: .any)).map(\.description) == [text])
    }
}
