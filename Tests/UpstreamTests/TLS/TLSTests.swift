import RPCTestKit
import Testing

@testable import Upstream

struct TLSTests {
    private static let names = ["good.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]]

    @Test func `a configured root authenticates a server for its names and addresses`() async throws {
        try await serve("DNS:good.test,IP:127.0.0.1") { server, settings, _ in
            try await withClient(settings, addresses: Self.names) { client in
                for host in ["good.test", "127.0.0.1"] {
                    let response = try await client.get("https://\(host):\(server.port)/")
                    #expect(response.text == "secure")
                }
                let error = try await client.failure("https://other.test:\(server.port)/")
                #expect(error.isTLS, "\(error)")
                #expect(server.history.requests.count == 2)
            }
        }
    }

    @Test func `the error names a server that does not speak TLS`() async throws {
        try await OriginServer.with(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _ in
            [.close]
        } _: { server in
            let settings = try UpstreamSettings.trusting(server, names: "good.test")
            try await withClient(settings, addresses: Self.names) { client in
                let error = try await client.failure("https://good.test:\(server.port)/")
                #expect("\(error)".hasSuffix("it does not speak TLS; use http:// if that is intended"), "\(error)")
            }
        }
    }

    @Test func `a TLS connection is reused`() async throws {
        try await serve("DNS:good.test") { server, settings, _ in
            try await withClient(settings, addresses: Self.names) { client in
                for _ in 0..<3 { _ = try await client.get("https://good.test:\(server.port)/") }
                #expect(server.history.connections == 1)
            }
        }
    }

    @Test func `the system's roots alone do not authenticate it`() async throws {
        try await serve("DNS:good.test") { server, settings, _ in
            var settings = settings
            settings.authorities = []
            try await withClient(settings, addresses: Self.names) { client in
                let error = try await client.failure("https://good.test:\(server.port)/")
                #expect(error.isTLS, "\(error)")
                #expect(server.history.requests.isEmpty)
            }
        }
    }

    @Test func `one of a host's pins must be the key of its own certificate`() async throws {
        try await serve("DNS:good.test") { server, settings, certificates in
            var settings = settings
            let next = try CertificatePin("good.test=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            settings.pins = [next, try CertificatePin("Good.Test=\(try await certificates.pin("server"))")]
            try await withClient(settings, addresses: Self.names) { client in
                let response = try await client.get("https://good.test:\(server.port)/")
                #expect(response.text == "secure")
            }
            for authority in ["intermediate", "root"] {
                settings.pins = [next, try CertificatePin("good.test=\(try await certificates.pin(authority))")]
                try await withClient(settings, addresses: Self.names) { client in
                    let error = try await client.failure("https://good.test:\(server.port)/")
                    guard case .pinMismatch("good.test") = error else { throw error }
                }
            }
            #expect(server.history.requests.count == 1)
        }
    }

    @Test func `a wrong pin ends the connection before a byte of the request`() async throws {
        try await TestCertificates.with(["server": "DNS:good.test", "pinned": "DNS:good.test"]) { certificates in
            // The server sends the pinned certificate too, but does not have its key.
            let security = try certificates.security("server", showing: ["pinned"])
            try await OriginServer.with(security: security) { _ in
                [.response()]
            } _: { server in
                var settings = try UpstreamSettings.trusting(server, names: "good.test")
                settings.authorities = [try CertificateAuthorities(file: certificates.roots)]
                settings.pins = [try CertificatePin("good.test=\(try await certificates.pin("pinned"))")]
                try await withClient(settings, addresses: Self.names) { client in
                    let error = try await client.failure("https://good.test:\(server.port)/")
                    guard case .pinMismatch("good.test") = error else { throw error }
                    #expect(server.history.requests.isEmpty)
                    await server.history.wait { $0.openConnections == 0 }
                }
            }
        }
    }

    @Test func `a pin does not replace the verification of chain and name`() async throws {
        try await serve("DNS:good.test") { server, settings, certificates in
            var settings = settings
            let pin = try await certificates.pin("server")
            settings.pins = [try CertificatePin("good.test=\(pin)"), try CertificatePin("other.test=\(pin)")]
            var untrusting = settings
            untrusting.authorities = []
            for (settings, host) in [(settings, "other.test"), (untrusting, "good.test")] {
                try await withClient(settings, addresses: Self.names) { client in
                    let error = try await client.failure("https://\(host):\(server.port)/")
                    #expect(error.isTLS, "\(error)")
                }
            }
            #expect(server.history.requests.isEmpty)
        }
    }

    @Test func `a pinned host is refused without TLS`() async throws {
        var settings = UpstreamSettings()
        settings.pins = [try CertificatePin("good.test=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
        try await withClient(settings, addresses: Self.names) { client in
            let error = try await client.failure("http://good.test/")
            #expect(error.refusal == .pinnedWithoutTLS("good.test"))
        }
    }

    @Test func `a redirect from https to http is refused`() async throws {
        try await TestCertificates.with(["server": "DNS:good.test"]) { certificates in
            let security = try certificates.security("server")
            try await OriginServer.with(security: security) { _ in
                [.redirect(to: "http://example.com/")]
            } _: { server in
                var settings = try UpstreamSettings.trusting(server, names: "good.test")
                settings.authorities = [try CertificateAuthorities(file: certificates.roots)]
                try await withClient(settings, addresses: Self.names) { client in
                    let error = try await client.failure("https://good.test:\(server.port)/")
                    #expect(error.refusal == .downgrade(to: "http://example.com/"))
                }
            }
        }
    }

    @Test func `a server without TLS is an error`() async throws {
        try await OriginServer.with(greeting: "HTTP/1.1 200 OK\r\n\r\n") { _ in
            []
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure("https://\(server.authority)/")
                #expect(error.isTLS, "\(error)")
            }
        }
    }

    @Test(arguments: [
        "good.test", "good.test=", "good.test=sha256/", "good.test=sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "good.test=sha256/AAAA", "=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "a b=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "good.test=sha256/!AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ]) func `an invalid pin is refused`(text: String) {
        #expect(throws: UpstreamOptionError.self) { try CertificatePin(text) }
    }

    @Test(arguments: [
        ("/nowhere/roots.pem", "Cannot read /nowhere/roots.pem: No such file or directory."),
        ("/etc/hosts", "/etc/hosts contains no certificate"), ("/etc", "/etc contains no certificate"),
        ("/dev/null", "/dev/null contains no certificate"),
    ])
    func `an invalid file of authorities is refused at once`(file: String, text: String) {
        let error = #expect(throws: UpstreamOptionError.self) { try CertificateAuthorities(file: file) }
        #expect(error?.description.hasPrefix(text) == true, "\(String(describing: error))")
    }

    private func serve(
        _ names: String, _ body: (OriginServer, UpstreamSettings, TestCertificates) async throws -> Void
    ) async throws {
        try await TestCertificates.with(["server": names]) { certificates in
            let security = try certificates.security("server")
            try await OriginServer.with(security: security) { _ in
                [.response(text: "secure")]
            } _: { server in
                var settings = try UpstreamSettings.trusting(server, names: "good.test", "other.test")
                settings.authorities = [try CertificateAuthorities(file: certificates.roots)]
                try await body(server, settings, certificates)
            }
        }
    }
}
