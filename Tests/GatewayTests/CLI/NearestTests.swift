import Testing

@testable import gateway

@Suite struct NearestTests {
    private static let names = ["feed", "comments", "comment", "health", "feed.load", "limit", "after_id"]

    @Test(arguments: [
        ("fed", "feed"), ("feef", "feed"), ("efed", "feed"), ("coments", "comments"), ("feed.laod", "feed.load"),
        ("LIMIT", "limit"), ("limi", "limit"), ("afterid", "after_id"),
    ])
    func `a typing error finds its name`(typed: String, name: String) {
        #expect(Nearest.to(typed, among: Self.names) == name)
    }

    @Test(arguments: ["", "x", "nonsense", "lgmtx"]) func `another word finds none`(typed: String) {
        #expect(Nearest.to(typed, among: Self.names) == nil)
    }

    @Test func `a long name is not compared`() {
        #expect(Nearest.to(String(repeating: "a", count: 256), among: [String(repeating: "a", count: 255)]) != nil)
        #expect(Nearest.to(String(repeating: "a", count: 257), among: [String(repeating: "a", count: 256)]) == nil)
    }

    @Test func `a third of the characters may differ, and not one more`() {
        #expect(Nearest.to("abcdxx", among: ["abcdef"]) == "abcdef")
        #expect(Nearest.to("abcxxx", among: ["abcdef"]) == nil)
    }
}
