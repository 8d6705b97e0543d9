import Comments
import Foundation
import RPCTestKit
import Testing

@Suite struct CommentsMapperTests {
    private let image = UUID(number: 0)

    @Test func `a comment is mapped`() throws {
        let comments = try map(
            """
            {"items":[{"id":"00000000-0000-4000-8000-000000000001","message":"Où ? 🏖\\nLà.",
            "created_at":"2026-03-01T12:00:05Z","author":{"username":"Zoë"}}]}
            """)
        let expected = ImageComment(
            id: UUID(number: 1), imageID: image, message: "Où ? 🏖\nLà.", createdAt: moment(5), username: "Zoë")
        #expect(comments == [expected])
    }

    @Test(arguments: [0, 1, 3]) func `comments keep the upstream's order`(count: Int) throws {
        let numbers = Array((1...3).reversed().prefix(count))
        let comments = try map(list(numbers.map { item($0) }))
        #expect(comments.map(\.id) == numbers.map(UUID.init(number:)))
    }

    @Test func `of comments with the same id the first counts`() throws {
        let comments = try map(list([item(1, message: #""first""#), item(2), item(1, message: #""second""#)]))
        #expect(comments.map(\.id) == [UUID(number: 1), UUID(number: 2)])
        #expect(comments.first?.message == "first")
    }

    // MARK: Status

    @Test(arguments: [200, 201, 204, 299]) func `any success is accepted`(status: Int) throws {
        #expect(try map(list([item(1)]), status: status).count == 1)
    }

    @Test(arguments: [100, 199, 300, 304, 400, 403, 405, 500, 503, 0, -1])
    func `every other status is rejected`(status: Int) {
        #expect(throws: CommentsMapperError.rejected("its status is \(status)")) {
            try map(list([item(1)]), status: status)
        }
    }

    @Test(arguments: [
        ("", false), ("404 page not found", false), (#"{"items":[]}"#, false), (#"{"kind":"unavailable"}"#, false),
        (#"{"kind":404}"#, false), (#"{"kind":"not_found"}"#, true),
        (#"{"title":"Not Found","status":404,"detail":"the feed has no item X","kind":"not_found"}"#, true),
    ])
    func `status 404 means that the image is unknown, for certain only in a problem document`(
        body: String, isCertain: Bool
    ) {
        #expect(throws: CommentsMapperError.notFound(isCertain: isCertain)) { try map(body, status: 404) }
    }

    // MARK: Root

    @Test(arguments: [
        "", " ", "<html>", "{", "[]", "null", "7", #""items""#, "{}", #"{"items":null}"#, #"{"items":{}}"#,
        #"{"items":[],}"#, #"{,"items":[]}"#, #"{"items":[,]}"#, #"{"items":[null]}"#, #"{"items":[[]]}"#,
        #"{"Items":[]}"#, #"{"items":[]} {}"#, "\u{0}",
    ])
    func `an invalid list is rejected`(body: String) { expectRejection(body) }

    @Test func `invalid UTF-8 is rejected`() {
        let body = Data(list([item(1, message: #""?""#)]).utf8.map { $0 == UInt8(ascii: "?") ? 0xFF : $0 })
        #expect(throws: CommentsMapperError.self) { try CommentsMapper.map(body, statusCode: 200, imageID: image) }
    }

    @Test func `excessive nesting is rejected`() {
        expectRejection(#"{"items":"# + String(repeating: "[", count: 100_000))
    }

    @Test func `commas in texts and between values are accepted`() throws {
        let body = list([item(1, message: #""[,] {,} \",\\""#), item(2)])
        #expect(try map(body).first?.message == #"[,] {,} ",\"#)
        expectRejection(list([item(1), "", item(2)]))
        expectRejection(list([item(1), ""]))
    }

    @Test func `unknown members are ignored`() throws {
        let item = """
            {"id":"00000000-0000-4000-8000-000000000001","message":"x","likes":[1],"created_at":"2026-03-01T12:00:05Z",
            "author":{"username":"ana","avatar":null}}
            """
        #expect(try map(#"{"next":null,"items":[\#(item)],"total":{}}"#).count == 1)
    }

    // MARK: Items

    @Test(
        arguments: ["id", "message", "created_at", "author"],
        [nil, "null", "7", "true", "[]", "{}"] as [String?])
    func `one invalid comment invalidates the list`(member: String, value: String?) {
        expectRejection(list([item(1), item(2, replacing: member, with: value), item(3)]))
    }

    @Test(arguments: ["id", "created_at", "author"])
    func `an empty text is not a valid id, time or author`(member: String) {
        expectRejection(list([item(1), item(2, replacing: member, with: #""""#), item(3)]))
    }

    @Test(arguments: [#"{}"#, #"{"username":null}"#, #"{"username":7}"#, #"{"name":"ana"}"#])
    func `an author without a name is rejected`(author: String) {
        expectRejection(list([item(1, replacing: "author", with: author)]))
    }

    @Test(arguments: [
        "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E", "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e",
        "7f3D9a60-0C1e-4b5E-9c57-0a3C7b1c2D4e",
    ])
    func `ids are UUIDs in any case`(id: String) throws {
        let comments = try map(list([item(1, replacing: "id", with: "\"\(id)\"")]))
        #expect(comments.map(\.id.uuidString) == ["7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"])
    }

    @Test(arguments: [
        "7f3d9a600c1e4b5e9c570a3c7b1c2d4e", "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4",
        "{7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e}",
        "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e ", "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4g",
    ])
    func `an invalid UUID is rejected`(id: String) {
        expectRejection(list([item(1, replacing: "id", with: "\"\(id)\"")]))
    }

    @Test(
        arguments: [
            ("created_at", #""yesterday""#, "created_at: must be a date like 2026-03-01T10:15:00Z"),
            ("created_at", #""2026-02-30T12:00:00Z""#, "created_at: must be a date like 2026-03-01T10:15:00Z"),
            ("id", "7", "id: must be a string"), ("message", nil, "message: is missing"),
            ("author", #"{"username":null}"#, "author.username: must be a string"),
        ] as [(String, String?, String)])
    func `a rejection contains the path and the reason`(member: String, value: String?, reason: String) {
        let body = list([item(1), item(2, replacing: member, with: value)])
        #expect(throws: CommentsMapperError.rejected("items[1].\(reason)")) { try map(body) }
    }

    @Test func `a rejection of the body contains the reason`() {
        #expect(throws: CommentsMapperError.rejected("its body must be an object")) { try map("[]") }
        #expect(
            throws: CommentsMapperError.rejected("its body is not JSON: a value cannot begin here at byte 10")
        ) { try map(#"{"items":[,]}"#) }
    }

    @Test(arguments: [#"{"id":1,"id":1}"#, #"{"a":"\ud800"}"#, #"{"a":01}"#])
    func `invalid JSON is rejected, also in unknown members`(value: String) {
        expectRejection(#"{"items":[],"x":\#(value)}"#)
    }

    @Test(arguments: [
        "2026-03-01T12:00:05.999Z", "2026-03-01T12:00:05.0+0000", "2026-03-01t14:00:05.5+02",
        "2026-03-01 12:00:05-00:00",
    ])
    func `a time is read with any offset, to the whole second`(text: String) throws {
        let comments = try map(list([item(1, replacing: "created_at", with: "\"\(text)\"")]))
        #expect(comments.map(\.createdAt) == [moment(5)])
    }

    // MARK: Texts

    @Test(arguments: [0, 1, 2_000, 2_001, 100_000])
    func `the length of an upstream's message is not limited`(length: Int) throws {
        // More than one byte per scalar.
        let message = String(repeating: "🏖", count: length)
        #expect(try map(list([item(1), item(2, message: "\"\(message)\"")])).last?.message == message)
    }

    @Test(arguments: [0, 1, 64, 65, 10_000])
    func `the length of an upstream's username is not limited`(length: Int) throws {
        let name = String(repeating: "ë", count: length)
        let author = #"{"username":"\#(name)"}"#
        #expect(try map(list([item(1, replacing: "author", with: author), item(2)])).first?.username == name)
    }

    @Test func `texts are unchanged, including surrounding white space`() throws {
        #expect(try map(list([item(1, message: #""\n Lovely!\t""#)])).first?.message == "\n Lovely!\t")
    }

    @Test func `U+0000 in a text becomes U+FFFD`() throws {
        let body = list([
            item(1, message: #""a\u0000b""#), item(2, replacing: "author", with: #"{"username":"\u0000"}"#),
        ])
        let comments = try map(body)
        #expect(
            comments.map(\.message) == ["a\u{FFFD}b", "Lovely!"] && comments.map(\.username) == ["ana", "\u{FFFD}"])
    }

    // MARK: Helpers

    private func map(_ body: String, status: Int = 200) throws -> [ImageComment] {
        try CommentsMapper.map(Data(body.utf8), statusCode: status, imageID: image)
    }

    private func expectRejection(_ body: String) { expect(body, isGood: false) }

    private func expect(_ body: String, isGood: Bool) {
        let isAccepted: Bool
        do {
            _ = try map(body)
            isAccepted = true
        } catch {
            isAccepted = false
            guard case CommentsMapperError.rejected = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(isAccepted == isGood)
    }

    private func list(_ items: [String]) -> String { #"{"items":[\#(items.joined(separator: ","))]}"# }

    private func item(_ number: Int, message: String = #""Lovely!""#) -> String {
        item(number, replacing: "message", with: message)
    }

    /// - Parameter value: nil to omit the member.
    private func item(_ number: Int, replacing member: String, with value: String?) -> String {
        var members = [
            "id": "\"\(UUID(number: number).uuidString)\"", "message": #""Lovely!""#,
            "created_at": #""2026-03-01T12:00:00Z""#, "author": #"{"username":"ana"}"#,
        ]
        members[member] = value
        return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}
