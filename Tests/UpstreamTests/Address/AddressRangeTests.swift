import Testing

@testable import Upstream

struct AddressRangeTests {
    /// The first and last address of each range, and their neighbours.
    static let ranges: [(before: String?, first: String, last: String, after: String?)] = [
        (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
        ("223.255.255.255", "224.0.0.0", "255.255.255.255", nil),
        (nil, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::"
        ),
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
        ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
    ]

    @Test(arguments: ranges)
    func `the first and the last address of a range are refused, their neighbours are not`(
        range: (before: String?, first: String, last: String, after: String?)
    ) throws {
        for text in [range.first, range.last] { #expect(try address(text).whyNotPublic != nil, "\(text)") }
        for text in [range.before, range.after].compactMap(\.self) {
            #expect(try address(text).whyNotPublic == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "loopback"), ("255.255.255.255", "broadcast"), ("240.0.0.1", "reserved"), ("::", "unspecified"),
        ("::1", "loopback"), ("fe80::1", "link-local"), ("febf::1", "link-local"), ("fec0::1", "site-local"),
        ("fc00::1", "private"), ("fdff::1", "private"), ("ff02::1", "multicast"), ("100::1", "discard-only"),
        ("169.254.169.254", "link-local"), ("2001:db8::1", "documentation"), ("64:ff9b:1::1", "local NAT64"),
        ("5f00::1", "segment routing"), ("4000::1", "not assigned to the internet"),
    ]) func `the error says what kind of address it is`(text: String, kind: String) throws {
        #expect(try address(text).whyNotPublic == kind)
    }

    /// All embeddings of IPv4 addresses in IPv6 addresses. `%` stands for the IPv4 address or its two groups.
    static let embeddings = [
        "::ffff:%", "::%", "64:ff9b::%", "64:ff9b:1::%", "64:ff9b:1:ffff::%", "::ffff:0:%", "2002:%::1",
        "2600::5efe:%", "2600::200:5efe:%", "2001:0:1:2:3:4:%",
    ]

    @Test(arguments: embeddings, ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"])
    func `a bad IPv4 address is refused in every embedding`(embedding: String, v4: String) throws {
        #expect(try address(Self.embed(v4, as: embedding)).whyNotPublic != nil)
    }

    @Test func `a Teredo address with an obfuscated private client is refused`() throws {
        // 10.0.0.1 with all bits inverted.
        #expect(try address("2001:0:5db8:d822:0:0:f5ff:fffe").whyNotPublic == "Teredo")
    }

    @Test(arguments: ["::ffff:%", "64:ff9b::%", "2600::5efe:%", "2600::200:5efe:%"])
    func `a public IPv4 address is allowed in current embeddings`(embedding: String) throws {
        #expect(try address(Self.embed("93.184.216.34", as: embedding)).whyNotPublic == nil)
    }

    @Test(arguments: [
        "93.184.216.34", "1.1.1.1", "192.31.196.1", "2606:2800:220:1::1", "2a00:1450::1", "2620:4f:8000::1",
    ])
    func `public addresses are allowed`(text: String) throws {
        #expect(try address(text).whyNotPublic == nil)
    }

    private static func embed(_ v4: String, as embedding: String) throws -> String {
        let bytes = try address(v4).bytes
        let groups = stride(from: 0, to: 4, by: 2)
            .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
        return embedding.split(separator: "%", omittingEmptySubsequences: false).joined(separator: groups)
    }
}

private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text: text), "\(text)") }
