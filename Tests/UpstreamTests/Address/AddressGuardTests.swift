import Testing

@testable import Upstream

/// `HTTPURLTests` has all spellings of addresses, `AddressRangeTests` all addresses that are not public.
struct AddressGuardTests {
    private let good = "93.184.216.34"

    @Test(arguments: ["127.0.0.1", "2130706433", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]"])
    func `an address that is not public is refused`(host: String) throws {
        guard case .address? = try refusal(of: "http://\(host)/") else { return #expect(Bool(false), "\(host)") }
        #expect(try refusal(of: "http://\(good)/") == nil)
    }

    @Test func `a name is refused as a whole for one bad address among good ones`() throws {
        #expect(try refusal(of: "https://name.example/", [good, "2606:2800:220:1::1"]) == nil)
        for bad in ["127.0.0.1", "10.1.2.3", "::1", "::ffff:192.168.1.1", "fe80::1"] {
            for addresses in [[bad], [good, bad], [bad, good], [good, "2606:2800:220:1::1", bad]] {
                guard case .address(let address, _, _)? = try refusal(of: "https://name.example/", addresses) else {
                    return #expect(Bool(false), "\(addresses)")
                }
                #expect(address == "\(try #require(IPAddress(text: bad)))")
            }
        }
    }

    @Test func `a port is refused unless it was configured`() throws {
        var settings = UpstreamSettings()
        settings.ports = [8_080]
        for port in [80, 443, 8_080] { #expect(try refusal(of: "http://no.example:\(port)/", [], settings) == nil) }
        for port in [79, 81, 8_081, 22] {
            #expect(
                try refusal(of: "http://no.example:\(port)/", [], settings) == .portNotAllowed("no.example:\(port)"))
        }
        // An allowed port does not allow the address.
        #expect(try refusal(of: "http://127.0.0.1:8080/", [], settings) != nil)
    }

    @Test func `an exception applies to one host on one port`() throws {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("127.0.0.1:1"), try UpstreamEndpoint(url: "http://Named.Example./v1")]
        for url in ["http://127.0.0.1:1/", "http://127.1:1/", "http://named.example/"] {
            #expect(try refusal(of: url, ["127.0.0.1"], settings) == nil, "\(url)")
        }
        for url in [
            "http://127.0.0.1/", "http://127.0.0.1:2/", "http://127.0.0.2:1/", "http://[::ffff:127.0.0.1]:1/",
            "https://named.example/", "http://other.example/",
        ] {
            #expect(try refusal(of: url, ["127.0.0.1"], settings) != nil, "\(url)")
        }
    }

    @Test func `an error names the option that allows it`() throws {
        let refusal = try #require(try refusal(of: "http://[::1]/"))
        #expect("\(UpstreamError.refused(refusal))".contains("--allow-private-upstream [::1]:80"))
    }

    @Test(arguments: ["", "host", "host:", "host:0", "host:x", ":80", "http://host:80", "a b:80", "[::1]", "host:80/x"])
    func `an invalid endpoint is refused`(text: String) {
        #expect(throws: UpstreamOptionError.self) { try UpstreamEndpoint(text) }
    }

    @Test(arguments: ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "2600::5efe:10.1.2.3", "93.184.216.34"])
    func `a denied address is refused, even if it is public or allowed by the operator`(address: String) throws {
        var settings = UpstreamSettings()
        settings.denied = [try AddressRange(cidr: "10.0.0.0/8"), try AddressRange(cidr: good)]
        let host = address.contains(":") ? "[\(address)]" : address
        settings.trusted = [try UpstreamEndpoint("named.example:80"), try UpstreamEndpoint("\(host):80")]
        for (url, addresses) in [("http://named.example/", ["1.1.1.1", address]), ("http://\(host)/", [])] {
            guard case .denied(let refused, _, _)? = try refusal(of: url, addresses, settings) else {
                return #expect(Bool(false), "\(url)")
            }
            #expect(refused == "\(try #require(IPAddress(text: address)))")
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

    /// Why a request is refused; nil if it is allowed.
    /// - Parameter addresses: those of the URL's name.
    private func refusal(
        of url: String, _ addresses: [String] = [], _ settings: UpstreamSettings = UpstreamSettings()
    ) throws -> UpstreamError.Refusal? {
        let (addressGuard, origin) = (AddressGuard(settings), try HTTPURL(url, limit: 2_048).origin)
        do throws(UpstreamError) {
            try addressGuard.check(origin)
            try addressGuard.check(addresses.compactMap(IPAddress.init(text:)), of: origin)
            return nil
        } catch {
            return error.refusal
        }
    }
}
