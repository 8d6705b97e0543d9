import Testing

@testable import Upstream

struct AddressGuardTests {
    private let good = "93.184.216.34"

    @Test(arguments: [
        "127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "10.0.0.1", "192.168.0.1", "169.254.169.254", "0",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fd00::1]",
        "[fe80::1]", "[2001:db8::1]", "[::ffff:0:127.0.0.1]", "[2600::5efe:127.0.0.1]", "255.255.255.255",
    ]) func `an address that is not public is refused before a connection is opened`(host: String) async throws {
        try await withClient { client in
            let error = try await client.failure("http://\(host)/")
            #expect(error.refusedAddress != nil, "\(error)")
        }
    }

    @Test func `a name is refused as a whole for one bad address among good ones`() async throws {
        for bad in ["127.0.0.1", "10.1.2.3", "::1", "::ffff:192.168.1.1", "fe80::1"] {
            for addresses in [[bad], [good, bad], [bad, good], [good, "2606:2800:220:1::1", bad]] {
                try await withClient(addresses: ["name.example": addresses]) { client in
                    let error = try await client.failure("https://name.example/")
                    #expect(error.refusedAddress != nil, "\(error)")
                }
            }
        }
    }

    @Test func `a port is refused unless it was configured`() async throws {
        var settings = UpstreamSettings()
        settings.ports = [8_080]
        try await withClient(settings) { client in
            for (port, isAllowed) in [(79, false), (81, false), (8_080, true), (8_081, false), (22, false)] {
                let error = try await client.failure("http://no.example:\(port)/")
                #expect(error.isUnreachable == isAllowed)
                #expect((error.refusal == .portNotAllowed("no.example:\(port)")) == !isAllowed)
            }
            // An allowed port does not allow the address.
            let error = try await client.failure("http://127.0.0.1:8080/")
            #expect(error.refusedAddress == "127.0.0.1")
        }
    }

    @Test func `an exception applies to one host on one port`() async throws {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("127.0.0.1:1"), try UpstreamEndpoint(url: "http://Named.Example./v1")]
        try await withClient(settings, addresses: ["named.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]]) {
            client in
            for url in ["http://127.0.0.1:1/", "http://127.1:1/"] {
                let error = try await client.failure(url)
                #expect(error.isUnreachable, "\(url): \(error)")
            }
            for url in [
                "http://127.0.0.1/", "http://127.0.0.1:2/", "http://127.0.0.2:1/", "http://[::ffff:127.0.0.1]:1/",
                "https://named.example/", "http://other.example/",
            ] {
                let error = try await client.failure(url)
                #expect(error.refusal != nil, "\(url): \(error)")
            }
        }
    }

    @Test func `an error names the option that allows it`() async throws {
        try await withClient { client in
            let error = try await client.failure("http://[::1]/")
            #expect("\(error)".contains("--allow-private-upstream [::1]:80"))
        }
    }

    @Test(arguments: ["", "host", "host:", "host:0", "host:x", ":80", "http://host:80", "a b:80", "[::1]", "host:80/x"])
    func `an invalid endpoint is refused`(text: String) {
        #expect(throws: UpstreamOptionError.self) { try UpstreamEndpoint(text) }
    }

    @Test(arguments: ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "2600::5efe:10.1.2.3", "93.184.216.34"])
    func `a denied address is refused, even if it is public or allowed by the operator`(address: String) async throws {
        var settings = UpstreamSettings()
        settings.denied = [try AddressRange(cidr: "10.0.0.0/8"), try AddressRange(cidr: good)]
        settings.trusted = [try UpstreamEndpoint("named.example:80")]
        let host = address.contains(":") ? "[\(address)]" : address
        settings.trusted.insert(try UpstreamEndpoint("\(host):80"))
        try await withClient(settings, addresses: ["named.example": ["1.1.1.1", address]]) { client in
            for url in ["http://named.example/", "http://\(host)/"] {
                let error = try await client.failure(url)
                guard case .denied(let refused, _, _)? = error.refusal else { throw error }
                #expect(refused == "\(try #require(IPAddress(text: address)))")
            }
        }
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", "11.0.0.0"), ("0.0.0.0/0", "0.0.0.0", "255.255.255.255", "::1"),
        ("192.0.2.128/25", "192.0.2.128", "192.0.2.255", "192.0.2.127"), ("1.2.3.4", "1.2.3.4", "1.2.3.4", "1.2.3.5"),
        ("2001:db8::/33", "2001:db8::", "2001:db8:7fff::1", "2001:db8:8000::"), ("::1/128", "::1", "::1", "::2"),
    ]) func `a block contains its addresses only`(text: String, first: String, last: String, outside: String) throws {
        let block = try AddressRange(cidr: text)
        #expect(block.contains(try #require(IPAddress(text: first))))
        #expect(block.contains(try #require(IPAddress(text: last))))
        #expect(!block.contains(try #require(IPAddress(text: outside))))
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8", "10/8",
        "a.example", "a.example/8", "10.0.0.0/255.0.0.0", " 10.0.0.0/8", "fe80::1%eth0", "0x0a000000/8", "[::1]/128",
    ]) func `an invalid block is refused`(text: String) {
        #expect(throws: UpstreamOptionError.self) { try AddressRange(cidr: text) }
    }

    @Test(arguments: [("10.1.2.3/8", "10.0.0.0/8"), ("10.1.2.3/0", "0.0.0.0/0"), ("2001:db8::1/32", "2001:db8::/32")])
    func `the error for an address inside a block names the block`(text: String, block: String) {
        let error = #expect(throws: UpstreamOptionError.self) { try AddressRange(cidr: text) }
        #expect(error?.description == "\"\(text)\" is not the start of a block: write \(block).")
    }
}
