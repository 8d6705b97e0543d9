import RPCTestKit
import Testing

@testable import gateway

@Suite struct HostFieldTests {
    static let valid = [
        "", "a", "A.b-c_d~e", "feed.example.org", "feed.example.org.", "localhost:8080", "a:", ":80", "127.0.0.1",
        "127.0.0.1:65535", "[::1]", "[::1]:8080", "[2001:DB8::7]:", "[::ffff:192.0.2.1]:1", "[v1.a:b]", "a%20b",
        "a,b", "xn--mller-kva.example", "a!$&'()*+;=", " a\t",
    ]

    static let invalid = [
        "a b", "a/b", "a\tb", "a:b", "a:80:80", "a:8 0", "a:-1", "user@a", "http://a", "a?b", "a#b", "[", "]", "[]",
        "[::1", "::1", "[::1]8080", "[::1]a", "[::g]", "[fe80::1%eth0]", "[127.0.0.1]", "[v.a]", "[v1.]", "[v1]", "a%2",
        "a%zz", "%", "a\\b", "\"a\"", "<a>", "a|b", "ä", "a{b}", "a^b", "`",
    ]

    @Test(arguments: valid) func `a host, optionally with a port`(value: String) { #expect(HostField.isValid(value)) }

    @Test(arguments: invalid) func `anything else is invalid`(value: String) { #expect(!HostField.isValid(value)) }

    @Test(arguments: valid.filter { !["", ":80", " a\t"].contains($0) })
    func `the authority of a URL is a host, optionally with a port`(value: String) {
        #expect(HostField.isAuthority(value))
    }

    @Test(arguments: invalid + ["", ":", ":80"]) func `anything else is an invalid authority`(value: String) {
        #expect(!HostField.isAuthority(value))
    }

    @Test func `a request with a valid Host is answered`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            for value in Self.valid {
                try await peer.send("GET /healthz HTTP/1.1\r\nHost: \(value)\r\n\r\n")
                #expect(await peer.receive()?.status == 200, "\(value)")
            }
        }
    }

    @Test(arguments: ["1.1", "1.0"]) func `a request with an invalid Host is rejected`(version: String) async throws {
        try await RunningAPI.with { api in
            for value in Self.invalid {
                let peer = try await api.connect()
                try await peer.send("GET /healthz HTTP/\(version)\r\nHost: \(value)\r\n\r\n")
                let reply = try #require(await peer.receive())
                #expect(reply.status == 400 && reply["Connection"] == "close", "\(value)")
                #expect(try reply.member("kind") == "invalid_request")
            }
        }
    }

    @Test func `HTTP 1.0 may omit the Host, but not repeat it`() async throws {
        try await RunningAPI.with { api in
            for (fields, status) in [("", 200), ("Host: a\r\nHost: a\r\n", 400)] {
                let peer = try await api.connect()
                try await peer.send("GET /healthz HTTP/1.0\r\n\(fields)\r\n")
                #expect(await peer.receive()?.status == status)
            }
        }
    }
}
