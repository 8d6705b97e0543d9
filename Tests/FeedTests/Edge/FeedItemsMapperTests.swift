import EdgeModel
import Feed
import Foundation
import Testing

@Suite struct FeedItemsMapperTests {
    private static let good = #"{"id":"00000000-0000-4000-8000-00000000000A","image":"https://pictures.example/1"}"#

    private func map(_ text: String, _ status: Int = 200) throws(FeedRejection) -> [FeedImage] {
        try FeedItemsMapper.map(Data(text.utf8), statusCode: status, page: "http://up.example/v1/feed")
    }

    private func expectRejection(
        _ text: String, _ status: Int = 200, _ part: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: FeedRejection.self, sourceLocation: sourceLocation) { try map(text, status) }
        #expect(
            part.isEmpty || error?.description.contains(part) == true, "\(error.debugDescription)",
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [100, 199, 201, 204, 206, 300, 304, 400, 404, 500, 503])
    func `only status 200 is accepted`(status: Int) throws {
        expectRejection(#"{"items":[]}"#, status, "\(status)")
    }

    @Test func `an empty page has no items`() throws {
        let items = try map(#"{"items":[]}"#)
        #expect(items == [])
    }

    @Test(arguments: [
        "", " ", "items", "{", "null", "[]", "7", #""items""#, "{}", #"{"items":null}"#, #"{"items":{}}"#,
        #"{"items":"none"}"#, #"{"Items":[]}"#, "<html></html>", #"{"items":[]}}"#, #"{"items":[],}"#,
        #"{"items":[,]}"#, #"{,"items":[]}"#,
    ])
    func `an invalid page is rejected`(text: String) throws { expectRejection(text) }

    @Test func `a rejection contains the reason`() {
        expectRejection("", 200, "the body is empty")
        expectRejection("[]", 200, "the body must be an object")
        expectRejection(#"{"items":null}"#, 200, "items: must be an array")
        expectRejection(#"{"items":[,]}"#, 200, "the body is not JSON: a value cannot begin here at byte 10")
    }

    @Test(arguments: [#"{"id":1,"id":1}"#, #"{"a":"\ud800"}"#, #"{"a":01}"#, String(repeating: "[", count: 100_000)])
    func `invalid JSON is rejected, also in unknown members`(value: String) {
        expectRejection(#"{"items":[],"x":\#(value)}"#, 200, "the body is not JSON")
    }

    @Test func `commas in texts are accepted`() throws {
        let text = #"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","location":"a,] ,} \" ,]"}]}"#
        let items = try map(text)
        #expect(items.map(\.location) == [#"a,] ,} " ,]"#])
        expectRejection(#"{"items":[\#(Self.good),]}"#)
    }

    @Test func `an item is read and unknown members are ignored`() throws {
        let text = """
            {"next":7,"items":[{"id":"00000000-0000-4000-8000-00000000000a","description":" two ","location":"Here",
            "image":"https://pictures.example/1?a=b","likes":[1,{}]}],"extra":null}
            """
        let items = try map(text)
        let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000000A"))
        #expect(
            items == [
                FeedImage(id: id, description: "two", location: "Here", image: "https://pictures.example/1?a=b")
            ])
    }

    @Test(arguments: [
        "", #","description":null,"location":null"#, #","description":"","location":"""#, #","description":"  ""#,
    ])
    func `empty, blank, null and absent texts are nil`(members: String) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1"\#(members)}]}"#)
        #expect(items.map(\.description) == [nil])
        #expect(items.map(\.location) == [nil])
    }

    @Test(arguments: [
        (#"{"image":"urn:x:1"}"#, "items[1].id: is missing"), (#"{"id":7,"image":"urn:x:1"}"#, "items[1].id"),
        (#"{"id":null,"image":"urn:x:1"}"#, "items[1].id: must be a string"),
        (#"{"id":"x","image":"urn:x:1"}"#, "items[1].id"),
        (#"{"id":"ID"}"#, "items[1].image: is missing"), (#"{"id":"ID","image":7}"#, "items[1].image"),
        (#"{"id":"ID","image":null}"#, "items[1].image"), (#"{"id":"ID","image":""}"#, "items[1].image"),
        (#"{"id":"ID","image":"https://"}"#, "items[1].image"),
        (#"{"id":"ID","image":"ftp://x/1"}"#, "items[1].image"),
        (#"{"id":"ID","image":"javascript:alert(1)"}"#, "items[1].image"),
        (#"{"id":"ID","image":"urn:x:1","description":7}"#, "items[1].description"),
        (#"{"id":"ID","image":"urn:x:1","location":[]}"#, "items[1].location"),
        ("7", "items[1]"),
        ("null", "items[1]"),
    ])
    func `one invalid item invalidates the page`(item: String, part: String) throws {
        let item = item.replacing("\"ID\"", with: "\"\(UUID(number: 2))\"")
        expectRejection(#"{"items":[\#(Self.good),\#(item),\#(Self.good)]}"#, 200, part)
    }

    @Test(arguments: [("description", 10_001), ("location", 1_001), ("image", 2_049)])
    func `the length limits of publishing do not apply to upstreams`(member: String, length: Int) throws {
        let prefix = member == "image" ? "https://x/" : ""
        let text = prefix + String(repeating: "e", count: length)
        let members = ["id": UUID(number: 1).uuidString, "image": "urn:x:1"].merging([member: text]) { $1 }
        let page = String(decoding: try JSONEncoder().encode(["items": [members]]), as: UTF8.self)
        let items = try map(page)
        #expect([items[0].description, items[0].location, items[0].image].contains(text))
    }

    @Test func `U+0000 is replaced in texts`() throws {
        let items = try map(
            #"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","location":"a\u0000b","description":"\u0000"}]}"#)
        #expect(items.map(\.location) == ["a\u{FFFD}b"])
        #expect(items.map(\.description) == ["\u{FFFD}"])
    }

    @Test func `hints are read`() throws {
        let members = #""width":4000,"height":3000,"placeholder":"IQECAwQFBg==""#
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1",\#(members)}]}"#)
        #expect(items.map(\.hints) == [.full])
    }

    @Test(arguments: [
        #""width":4"#, #""height":4"#, #""width":0,"height":3"#, #""width":3,"height":-1"#,
        #""width":50000001,"height":3"#, #""width":"3","height":3"#, #""width":3.5,"height":3"#,
        #""width":1e99,"height":3"#, #""width":null,"height":3"#, #""width":[3],"height":{"height":3}"#,
        #""placeholder":7"#, #""placeholder":"""#, #""placeholder":"*""#, #""placeholder":"EQ==""#,
        #""placeholder":"AAAA""#, #""placeholder":{"a":[]}"#, #""placeholder":null"#,
    ])
    func `malformed hints are ignored`(members: String) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1",\#(members)}]}"#)
        #expect(items.map(\.hints) == [PictureHints()])
    }

    @Test(arguments: [
        ("https://pt.example/São Paulo", "https://pt.example/S%C3%A3o%20Paulo"),
        ("https://x.example/%zz", "https://x.example/%zz"),
        ("/1", nil), ("urn:x:1", nil), ("Ana", nil), ("", nil),
    ]) func `a source is an absolute address, written as browsers send it`(source: String, expected: String?) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","source":"\#(source)"}]}"#)
        #expect(items.map(\.details.source) == [expected])
    }

    @Test func `an item without tags has none`() throws {
        let items = try map(#"{"items":[\#(Self.good)]}"#)
        #expect(items.map(\.tags) == [[]])
    }

    @Test(arguments: [
        (#"["sea","Sun"]"#, ["sea", "Sun"]), ("[]", []), (#"["", " "]"#, []),
        (#"[" sea ","a\n\tb","c\u0000d"]"#, ["sea", "a b", "c\u{FFFD}d"]),
        (#"["Sea","sea","SEA","ｓｅａ"," sea"]"#, ["Sea"]), (#"["caf\u0065\u0301","CAFÉ"]"#, ["caf\u{E9}"]),
    ])
    func `tags are normalised, and repeated and empty ones are dropped`(tags: String, expected: [String]) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","tags":\#(tags)}]}"#)
        #expect(items.map { $0.tags.map { Array($0.unicodeScalars) } } == [expected.map { Array($0.unicodeScalars) }])
    }

    @Test func `the number and the length of an upstream's tags are not limited`() throws {
        let tags = (1...21).map { "\($0) " + String(repeating: "x", count: 51) }
        let text = String(decoding: try JSONEncoder().encode(tags), as: UTF8.self)
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","tags":\#(text)}]}"#)
        #expect(items.map(\.tags) == [tags])
    }

    @Test(arguments: [
        "null", "7", "true", #""sea""#, "{}", #"{"a":["sea"]}"#, "[7]", #"["sea",7]"#, #"["sea",null]"#, #"[["sea"]]"#,
    ])
    func `an item with malformed tags has none`(tags: String) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","tags":\#(tags)}]}"#)
        #expect(items.map(\.tags) == [[]])
    }

    @Test(arguments: [
        ("2026-03-01T12:00:00+0000", 0), ("2026-03-01T12:00:00Z", 0), ("2026-03-01T14:00:01.75+02:00", 1),
    ])
    func `a date is read in every form, in whole seconds`(text: String, seconds: Int) throws {
        let items = try map(
            #"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","published_at":"\#(text)"}]}"#)
        #expect(items.map(\.publishedAt) == [.publication + TimeInterval(seconds)])
    }

    @Test(arguments: [
        "7", "null", "true", #""""#, #""yesterday""#, #""2026-03-01""#, #""2026-02-29T12:00:00Z""#,
        #""2026-03-01T12:00:00""#, #"{"a":[]}"#, #"["2026-03-01T12:00:00Z"]"#,
    ])
    func `an item with a malformed date has none`(date: String) throws {
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1","published_at":\#(date)}]}"#)
        #expect(items.map(\.publishedAt) == [nil])
    }

    @Test func `an item without a date has none`() throws {
        let items = try map(#"{"items":[\#(Self.good)]}"#)
        #expect(items.map(\.publishedAt) == [nil])
    }

    @Test func `a hint is read beside a malformed one`() throws {
        let members = #""width":4000,"height":3000,"placeholder":"IQ==""#
        let items = try map(#"{"items":[{"id":"\#(UUID(number: 1))","image":"urn:x:1",\#(members)}]}"#)
        #expect(items.map(\.hints) == [.sized])
    }

    @Test func `of items with the same id the first counts`() throws {
        func item(_ number: Int, _ image: String) -> String {
            #"{"id":"\#(UUID(number: number))","image":"\#(image)"}"#
        }
        let items = try map(#"{"items":[\#(item(2, "urn:x:a")),\#(item(1, "urn:x:b")),\#(item(2, "urn:x:c"))]}"#)
        #expect(items.map(\.image) == ["urn:x:a", "urn:x:b"])
    }
}
