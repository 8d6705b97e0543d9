import Dispatch
import NIOCore
import NIOSSL
import RPCTestKit
import Testing

@testable import Upstream

/// The requirements on a server's certificate.
struct ServerIdentityTests {
    private static let names = ["good.test": ["127.0.0.1"], "a.good.test": ["127.0.0.1"]]

    @Test(arguments: [
        ("*.good.test", "a.good.test", true), ("*.Good.Test", "a.good.test", true), ("*.good.test", "good.test", false),
        ("*.good.test", "a.b.good.test", false), ("*.test", "good.test", false), ("*", "good.test", false),
        ("a*.good.test", "a.good.test", false), ("good.test", "good.test", true), ("good.test", "a.good.test", false),
        ("a.*.test", "a.good.test", false), ("*.good.test", ".good.test", false), ("", "good.test", false),
    ])
    func `a wildcard stands for one whole label`(pattern: String, name: String, matches: Bool) {
        #expect(ServerIdentity.matches(pattern, name) == matches)
    }

    @Test func `a wildcard is for the names below it, not for the name itself`() async throws {
        try await serve("subjectAltName=DNS:*.good.test") { url, client in
            let response = try await client.get(url("a.good.test"))
            #expect(response.text == "secure")
            let error = try await client.failure(url("good.test"))
            #expect("\(error)".hasSuffix("its certificate is for another name or address"), "\(error)")
        }
    }

    /// An attacker who forges a DNS answer can have a certificate for the address in it.
    @Test func `a certificate for the address of the connection is not valid for the requested name`() async throws {
        try await serve("subjectAltName=IP:127.0.0.1") { url, client in
            let response = try await client.get(url("127.0.0.1"))
            #expect(response.text == "secure")
            let error = try await client.failure(url("good.test"))
            #expect(error.isTLS, "\(error)")
        }
    }

    @Test func `a certificate for a name is not valid for an address`() async throws {
        try await serve("subjectAltName=DNS:127.0.0.1,DNS:good.test") { url, client in
            let error = try await client.failure(url("127.0.0.1"))
            #expect(error.isTLS, "\(error)")
        }
    }

    /// The common name is the name of the file.
    @Test(arguments: ["", "subjectAltName=DNS:other.test", "subjectAltName=email:a@good.test"])
    func `a common name does not count`(extensions: String) async throws {
        try await serve(extensions, file: "good.test") { url, client in
            let error = try await client.failure(url("good.test"))
            #expect(error.isTLS, "\(error)")
        }
    }

    @Test(arguments: [("serverAuth", true), ("clientAuth", false), ("emailProtection", false)])
    func `a certificate must be for servers`(purpose: String, isGood: Bool) async throws {
        try await serve("subjectAltName=DNS:good.test\\nextendedKeyUsage=\(purpose)") { url, client in
            if isGood {
                let response = try await client.get(url("good.test"))
                #expect(response.text == "secure")
            } else {
                let error = try await client.failure(url("good.test"))
                #expect(error.isTLS, "\(error)")
            }
        }
    }

    @Test func `a certificate that has expired is refused`() async throws {
        try await serve(by: { certificates in
            try await certificates.makeExpired("expired", for: "DNS:good.test")
            return try certificates.security("expired")
        }) { url, client in
            let error = try await client.failure(url("good.test"))
            #expect(error.isTLS, "\(error)")
        }
    }

    /// A verifier that tries all paths would need some hundred million attempts.
    @Test func `certificates that sign one another are refused at once`() async throws {
        try await serve(by: { certificates in
            let mesh = try await certificates.makeMesh("lost", for: "DNS:good.test", times: 8)
            return try certificates.security("lost", showing: mesh)
        }) { url, client in
            let error = try await client.failure(url("good.test"))
            #expect(error.isTLS, "\(error)")
        }
    }

    @Test func `slow reading of the authorities counts to the handshake's time limit`() async throws {
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        let (gate, clock) = (DispatchSemaphore(value: 0), ManualClock())
        try await TestCertificates.with(["server": "DNS:good.test"]) { certificates in
            let security = try certificates.security("server")
            try await OriginServer.with(security: security, { _ in [.response(text: "secure")] }) { server in
                let client = UpstreamClient(
                    try .trusting(server), clock: clock, lookUp: SystemLookup.addresses
                ) { configuration in
                    read.yield()
                    gate.wait()
                    return try NIOSSLContext(configuration: configuration)
                }
                // All requests wait for the same thread.
                for number in 0..<3 {
                    let request = Task { try await client.failure("https://\(server.authority)/") }
                    if number == 0 { for await _ in reads { break } }
                    await server.history.wait(for: .opened(number))
                    let error = try await clock.passing(inStepsOf: TimeAmount(UpstreamLimits().connectTime)) {
                        try await request.value
                    }
                    #expect(error.stage == .connect, "\(error)")
                }
                gate.signal()
                read.finish()
                await client.shutdown()
            }
        }
        #expect(await reads.contains { _ in true } == false, "a second read")
    }

    // MARK: Server

    private typealias Body = (_ url: @escaping (String) -> String, _ client: UpstreamClient) async throws -> Void

    private func serve(_ extensions: String, file: String = "server", _ body: Body) async throws {
        try await serve(
            by: { certificates in
                try await certificates.make(file, extensions: extensions)
                return try certificates.security(file)
            }, body)
    }

    private func serve(
        by security: (TestCertificates) async throws -> OriginServer.Security, _ body: Body
    ) async throws {
        try await TestCertificates.with([:]) { certificates in
            try await OriginServer.with(
                security: try await security(certificates), { _ in [.response(text: "secure")] }
            ) {
                server in
                var settings = try UpstreamSettings.trusting(server, names: "good.test", "a.good.test")
                settings.authorities = [try CertificateAuthorities(file: certificates.roots)]
                try await withClient(settings, addresses: Self.names) { client in
                    try await body({ "https://\($0):\(server.port)/" }, client)
                }
            }
        }
    }
}
