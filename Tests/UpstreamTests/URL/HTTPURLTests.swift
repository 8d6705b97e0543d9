import Testing

@testable import Upstream

struct HTTPURLTests {
    /// Spellings of 127.0.0.1.
    static let loopbacks = [
        "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7F.0x0.0x0.0x1", "0177.1", "0177.0.0.01", "2130706433",
        "017700000001", "0x7f000001", "0X7F000001", "127.0.0.1.", "00000177.0.0.1", "0x0000007f.1",
    ]

    @Test(arguments: loopbacks) func `every spelling of an IPv4 address is that address`(spelling: String) throws {
        let url = try HTTPURL("http://\(spelling)/", limit: 2_048)
        #expect(url.origin.host == .address(IPAddress(v4: 0x7F00_0001)))
        #expect("\(url)" == "http://127.0.0.1/")
    }

    @Test(arguments: [
        // Full-width and enclosed digits, ideographic and other dots, which some resolvers fold to 127.0.0.1.
        "１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "loc\u{AD}alhost",
        "%31%32%37.0.0.1", "127.0.0.1%00.example", "%6cocalhost", "127.0.0.1%2f", "[::1%25lo]", "[::1%lo]",
        "[fe80::1%1]",
        // A host that ends in a number must be a valid address.
        "127.0.0.256", "256.1", "1.2.3.4.5", "0x100000000", "4294967296", "09", "0x7g.1", "1.2.3.08", "a.1",
        "example.0x",
        "127..1", "127.0.0.1..", "+1", "0xffffffffffffffffff",
        "", ".", "..", "a..b", ".example", "[]", "[::1", "::1", "[::1]x", "[1.2.3.4]", "[:::]", "exa mple",
        "exa\u{0}mple", "ex*mple", "(example)", "example,com", "a'b",
    ]) func `a host that could be folded into another, or that is invalid, is refused`(host: String) {
        #expect(throws: UpstreamError.self) { try HTTPURL("http://\(host):80/x", limit: 2_048) }
    }

    @Test func `labels and names have the limits of DNS`() throws {
        let label = String(repeating: "a", count: 63)
        let name = "\(label).\(label).\(label).\(String(repeating: "a", count: 61))"
        #expect(name.utf8.count == 253)
        for host in [label, name, "xn--bcher-kva.example", "a_b.example", "example."] {
            _ = try HTTPURL("http://\(host)/", limit: 2_048)
        }
        for host in [label + "a", name + "a"] {
            #expect(throws: UpstreamError.self) { try HTTPURL("http://\(host)/", limit: 2_048) }
        }
    }

    @Test(arguments: [
        ("http://example", "http://example/"), ("HTTP://EXAMPLE:80/A?b#c", "http://example/A?b"),
        ("https://example.:443#x", "https://example/"), ("https://example:80/", "https://example:80/"),
        ("http://example?a/b", "http://example/?a/b"), ("http://[2600::0:1]:8080/%00", "http://[2600::1]:8080/%00"),
        ("http://example/a#b@c", "http://example/a"), ("http://example/@:80", "http://example/@:80"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
    ]) func `a URL is normalised`(text: String, spelling: String) throws {
        #expect("\(try HTTPURL(text, limit: 2_048))" == spelling)
    }

    @Test(arguments: [
        "file:///etc/passwd", "javascript:alert(1)", "ftp://example/", "data:,x", "gopher://example", "//example",
        "example",
        "", ":", "http:/example", "http:example", "http//example", "https", "httpx://example", "unix:/socket",
        "http+unix://%2Fsocket/", "view-source:http://example",
    ]) func `only http and https are fetched`(text: String) throws {
        guard case .scheme? = try refusal(of: text) else { return #expect(Bool(false), "\(text)") }
    }

    @Test(arguments: [
        "http://user@example/", "http://user:password@example/", "http://@example", "http://a@b@127.0.0.1/",
    ])
    func `credentials are refused`(text: String) throws {
        #expect(try refusal(of: text) == .credentials)
    }

    @Test(arguments: Array(0...0x20) + [0x22, 0x3C, 0x3E, 0x5C, 0x7F] as [UInt8])
    func `control characters, spaces, quotes and backslashes are refused anywhere`(byte: UInt8) throws {
        let character = Unicode.Scalar(byte)
        for text in ["http://exa\(character)mple/", "http://example/\(character)", "\(character)http://example/"] {
            #expect(try refusal(of: text) == .character(byte))
        }
    }

    @Test(arguments: ["http://example/ü", "http://example/?\u{202E}", "http://bücher.example/"])
    func `characters beyond ASCII are refused anywhere`(text: String) throws {
        guard case .character? = try refusal(of: text) else { return #expect(Bool(false), "\(text)") }
    }

    @Test(arguments: ["0", "65536", "99999", "100000", "", "8o", "+80", "-80", "80:80", "0x50", "٨٠"])
    func `an invalid port is refused`(port: String) {
        #expect(throws: UpstreamError.self) { try HTTPURL("http://example:\(port)/", limit: 2_048) }
    }

    @Test func `the length of a URL is limited`() throws {
        let longest = "http://example/" + String(repeating: "a", count: 2_033)
        #expect(longest.utf8.count == 2_048)
        _ = try HTTPURL(longest, limit: 2_048)
        #expect(throws: UpstreamError.self) { try HTTPURL(longest + "a", limit: 2_048) }
    }

    @Test(arguments: [
        ("/d", "http://h/d"), ("d", "http://h/a/b/d"), ("./d", "http://h/a/b/d"), ("../d", "http://h/a/d"),
        ("../../../d", "http://h/d"), ("..", "http://h/a/"), (".", "http://h/a/b/"), ("?x", "http://h/a/b/c?x"),
        ("#x", "http://h/a/b/c?q"), ("", "http://h/a/b/c?q"), ("//other/x", "http://other/x"),
        ("d?x=../y", "http://h/a/b/d?x=../y"),
        ("https://other", "https://other/"), ("d:e/f", "refused"), ("./d:e", "http://h/a/b/d:e"), ("http:x", "refused"),
        ("javascript:alert(1)", "refused"), ("file:///etc/passwd", "refused"), ("//user@other", "refused"),
        ("\\\\other", "refused"), ("/\\other", "http://h/\\other refused"), ("http://other\r\nX: y", "refused"),
        ("//", "refused"), ("///x", "refused"),
    ]) func `a reference is resolved according to RFC 3986`(reference: String, target: String) throws {
        let base = try HTTPURL("http://h/a/b/c?q", limit: 2_048)
        guard !target.hasSuffix("refused") else {
            #expect(throws: UpstreamError.self) { try base.resolving(reference, limit: 2_048) }
            return
        }
        #expect("\(try base.resolving(reference, limit: 2_048))" == target)
    }

    @Test func `a reference from https to http is refused`() throws {
        let base = try HTTPURL("https://example/", limit: 2_048)
        #expect("\(try base.resolving("//other:443/", limit: 2_048))" == "https://other/")
        #expect(throws: UpstreamError.self) { try base.resolving("http://example/", limit: 2_048) }
    }

    private func refusal(of text: String) throws -> UpstreamError.Refusal? {
        do throws(UpstreamError) {
            _ = try HTTPURL(text, limit: 2_048)
            return nil
        } catch {
            return error.refusal
        }
    }
}
