import Testing

@testable import ImageData

@Suite struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-0/1", 0, 0, 1), ("bytes 5-9/10", 5, 9, 10), ("BYTES 5-9/*", 5, 9, nil), ("bytes 05-9/010", 5, 9, 10),
    ])
    func `a range is read`(text: String, first: Int, last: Int, total: Int?) throws {
        let range = try #require(ContentRange(text))
        #expect((range.first, range.last) == (first, last))
        #expect(range.total == total)
        #expect(range.count == last - first + 1)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-0", "bytes 0-0/", "bytes /1", "bytes -/1", "bytes 0-/1", "bytes -0/1",
        "bytes 1-0/2", "bytes 0-1/1", "bytes 0-1/0", "bytes */10", "bytes */*", "bytes 0-0/1/1", "bytes 0-0-0/1",
        "bytes +0-0/1", "bytes 0-+0/1", "bytes 0-0/+1", "bytes 0x0-0/1", "bytes 0 -0/1", "bytes 0-0 /1",
        "items 0-0/1", "bytes=0-0/1", "bytes ٠-٠/١", "bytes 0-9223372036854775807/*",
        "bytes 0-9223372036854775808/*", "bytes 0-0/9223372036854775808", "bytes 0-0/**",
    ])
    func `an invalid range is rejected`(text: String) { #expect(ContentRange(text) == nil) }
}
