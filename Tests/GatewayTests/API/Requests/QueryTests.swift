import FeedContract
import RPC
import Testing

@testable import gateway

@Suite struct QueryTests {
    private static let id = "5b0c5f0e-6a1d-4f0b-9a53-2f6c1f3f7d01"

    @Test(
        arguments: [
            ("", nil), ("limit=1", 1), ("limit=100", 100), ("limit=010", 10), ("other=x&limit=5", 5),
            ("limit=7&&other&other", 7), ("%6Cimit=%31", 1), ("%zz=1&limit=2", 2), ("Limit=0", nil),
        ] as [(String, Int?)])
    func `a limit is read at any position, and unknown parameters are ignored`(text: String, limit: Int?) throws {
        let load = try LoadFeed(Query(text))
        #expect(load.limit == limit)
    }

    @Test(
        arguments: [
            "limit=0", "limit=101", "limit=", "limit", "limit=+5", "limit=-1", "limit=5.0", "limit=0x5", "limit=٣",
            "limit=99999999999999999999", "limit=5&limit=5", "limit=%zz", "limit=5%20", "after_id=", "after_id=x",
            "after_id=5B0C5F0E6A1D4F0B9A532F6C1F3F7D01", "before_id=\(id)&before_id=\(id)",
            "before_id=\(id)&after_id=\(id)",
        ])
    func `a repeated, malformed or out-of-range parameter is rejected with its name`(text: String) {
        let error = #expect(throws: RPCError.self) { try LoadFeed(Query(text)) }
        #expect(error?.kind == .invalidParams)
        #expect(error.map { text.contains($0.message.prefix { $0 != ":" }) } == true)
    }

    @Test(arguments: [
        ("a+b=c+d", "a b", "c d"), ("a=%2B+", "a", "+ "), ("%61=%26%3D", "a", "&="), ("a=b=c", "a", "b=c"),
    ])
    func `names and values are decoded as those of a form`(text: String, name: String, value: String) throws {
        #expect(Query(text).names == [name])
        #expect(try Query(text).text(name) == value)
    }

    @Test func `cursors are accepted in any case and at any position`() throws {
        let load = try LoadFeed(Query("limit=3&after_id=\(Self.id)"))
        #expect(load.afterID?.uuidString == Self.id.uppercased() && load.limit == 3)
        let before = try LoadFeed(Query("before_id=\(Self.id.uppercased())&limit=3"))
        #expect(before.beforeID == load.afterID)
    }
}
