import Testing

@testable import gateway

/// The parsers of request fields.
@Suite struct FieldTests {
    @Test(
        arguments: [
            (#""a""#, true), (#"W/"a""#, true), (#""b", "a""#, true), (#""b",W/"a" , "c""#, true), ("*", true),
            (" * ", true), ("", false), ("a", false), (#""b""#, false), (#""ab""#, false), (#""a"#, false),
            (#""*""#, false), (#""A""#, false),
        ])
    func `If-None-Match matches a tag, weak or strong, in a list, or a star`(field: String, isNamed: Bool) {
        #expect(EntityTag("a").isNamed(in: field) == isNamed)
        #expect(EntityTag("a", isWeak: true).isNamed(in: field) == isNamed)
    }

    @Test(
        arguments: [
            (#""a""#, true), (#"W/"a""#, false), (#""b", "a""#, true), (#""b", W/"a""#, false), ("*", true),
            (#""b""#, false), ("a", false), ("", false), (#""ab""#, false),
        ])
    func `If-Match matches a strong tag, in a list, or a star`(field: String, isRequired: Bool) {
        #expect(EntityTag("a").isRequired(by: field) == isRequired)
        #expect(EntityTag("a", isWeak: true).isRequired(by: field) == (field == "*"))
    }

    @Test(
        arguments: [
            (#""a""#, true), (#"W/"a""#, false), (#""b""#, false), (#""a", "b""#, false), ("*", false),
            ("Sat, 21 Nov 2026 12:00:00 GMT", false), ("", false),
        ])
    func `If-Range matches one strong tag`(field: String, isExactly: Bool) {
        #expect(EntityTag("a").isExactly(field) == isExactly)
        #expect(!EntityTag("a", isWeak: true).isExactly(field))
    }

    @Test(
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<10)), ("bytes=9-", .part(9..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=10-12", .unsatisfiable), ("bytes=2-4", .part(2..<5)),
            ("bytes=8-9", .part(8..<10)), ("bytes=8-10", .part(8..<10)), ("bytes=-1", .part(9..<10)),
            ("bytes=-10", .part(0..<10)), ("bytes=-11", .part(0..<10)), ("bytes=-0", .unsatisfiable),
            ("bytes=4-2", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes", .whole), ("", .whole),
            ("bytes=a-b", .whole), ("bytes=0-0,2-3", .whole), ("bytes=1-2-3", .whole), ("lines=0-1", .whole),
            ("BYTES=1-1", .part(1..<2)), ("bytes= 1-1 ", .part(1..<2)), ("bytes=+1-2", .whole),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=0-99999999999999999999", .part(0..<10)),
            ("bytes=-99999999999999999999", .part(0..<10)),
        ] as [(String, ByteRange)])
    func `a range of ten bytes is a part, the whole, or unsatisfiable`(field: String, range: ByteRange) {
        #expect(ByteRange(field, size: 10) == range)
    }

    @Test(
        arguments: [
            ("gzip", true), ("x-gzip", true), ("GZIP;q=0.1", true), ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("*", true), ("br", false), ("", false), ("gzip;q=0", false), ("gzip; q=0.000", false),
            ("*;q=0", false), ("gzip;q=0, *", false), ("identity", false), ("gzip;q=x", false), ("gzipped", false),
        ])
    func `gzip is accepted by name or star, unless its weight is 0`(field: String, isTaken: Bool) {
        #expect(AcceptEncoding.takesGzip(field) == isTaken)
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
        ])
    func `an address is a host and a port`(text: String, host: String, port: Int) throws {
        let address = try #require(HTTPAddress(text))
        #expect(address == HTTPAddress(host: host, port: port) && "\(address)" == text)
    }

    @Test(arguments: [
        "", "8080", ":8080", "host", "host:", "host:x", "host:65536", "host:-1", "::1:80", "[]:1", "a b:1",
    ])
    func `an invalid address is rejected`(text: String) { #expect(HTTPAddress(text) == nil) }
}
