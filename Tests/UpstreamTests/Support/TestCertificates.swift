import Foundation
import NIOSSL
import RPCTestKit

/// A certificate authority for tests, with an intermediate authority and certificates of servers. `openssl` creates them in a
/// temporary directory.
struct TestCertificates: Sendable {
    let directory: String

    /// The root certificate that clients must trust.
    var roots: String { directory + "/root.pem" }

    /// Runs `body` with certificates of servers: their names (such as `DNS:a.test,IP:127.0.0.1`) by file name.
    static func with<Result>(
        _ servers: [String: String], _ body: (TestCertificates) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let certificates = TestCertificates(directory: directory)
            try await certificates.makeAuthority()
            for (file, names) in servers { try await certificates.make(file, for: names) }
            return try await body(certificates)
        }
    }

    /// TLS with one of the certificates and the intermediate one.
    /// - Parameter others: further certificates to send, without their keys.
    func security(_ file: String, showing others: [String] = []) throws -> OriginServer.Security {
        var certificates: [NIOSSLCertificate] = []
        for name in [file, "intermediate"] + others {
            certificates += try NIOSSLCertificate.fromPEMFile("\(directory)/\(name).pem")
        }
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: "\(directory)/\(file).key", format: .pem)))
        let context = try NIOSSLContext(configuration: configuration)
        return OriginServer.Security { [NIOSSLServerHandler(context: context)] }
    }

    /// The pin of a certificate's key, computed by openssl.
    func pin(_ file: String) async throws -> String {
        let command = """
            openssl x509 -in \(directory)/\(file).pem -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """
        return "sha256/" + (try await shell(command)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes an expired certificate of a server.
    func makeExpired(_ file: String, for names: String) async throws {
        try await sign(file, "subjectAltName=\(names)", valid: "-days -1")
    }

    /// Makes a certificate of a server with these extensions.
    func make(_ file: String, extensions: String) async throws { try await sign(file, extensions) }

    /// Makes two authorities that have signed each other `times` times, and a server's certificate signed by one of them.
    /// - Returns: the files of the authorities' certificates.
    func makeMesh(_ file: String, for names: String, times: Int) async throws -> [String] {
        _ = try await shell(
            """
            for name in a b; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem \
                    -subj "/CN=mesh $name" -days 2
                openssl req -new -key $name.key -out $name.csr -subj "/CN=mesh $name"
            done
            for i in $(seq \(times)); do
                openssl x509 -req -in a.csr -CA b.pem -CAkey b.key -set_serial $i -days 2 -extfile intermediate.ext -out a$i.pem
                openssl x509 -req -in b.csr -CA a.pem -CAkey a.key -set_serial $i -days 2 -extfile intermediate.ext -out b$i.pem
            done
            """)
        try await sign(file, "subjectAltName=\(names)", by: "a")
        return (1...times).flatMap { ["a\($0)", "b\($0)"] }
    }

    private func makeAuthority() async throws {
        _ = try await shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem \
            -subj "/CN=test root" -days 2 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout intermediate.key -out intermediate.csr \
            -subj "/CN=test intermediate"
            printf 'basicConstraints=critical,CA:TRUE\\nkeyUsage=critical,keyCertSign\\n' > intermediate.ext
            openssl x509 -req -in intermediate.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 \
            -extfile intermediate.ext -out intermediate.pem
            """)
    }

    private func make(_ file: String, for names: String) async throws {
        try await sign(file, "subjectAltName=\(names)")
    }

    private func sign(
        _ file: String, _ extensions: String, by issuer: String = "intermediate", valid: String = "-days 2"
    ) async throws {
        _ = try await shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(file).key -out \(file).csr -subj "/CN=\(file)"
            printf '\(extensions)\\nbasicConstraints=CA:FALSE\\n' > \(file).ext
            openssl x509 -req -in \(file).csr -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial \(valid) \
            -extfile \(file).ext -out \(file).pem
            """)
    }

    private func shell(_ command: String) async throws -> String {
        let outcome = try await Program(path: "/bin/sh").run(["-ec", "cd \(directory)\n" + command])
        guard outcome.status == 0 else { throw OpenSSLFailure(errors: outcome.errors) }
        return outcome.output
    }

    /// The openssl program is missing, or too old.
    struct OpenSSLFailure: Error {
        let errors: String
    }
}
