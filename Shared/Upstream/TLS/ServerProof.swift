import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// Verifies that a server is who was asked for.
///
/// NIOSSL's own verification would not do: it does not tell which chain it has found, so that a host could show any
/// certificate for its pin, and it takes a certificate for the address that was connected to for one of the name, so that
/// whoever answers the question for the address would need no more.
struct ServerProof: Sendable {
    let roots: CertificateStore
    let host: Host

    /// Nil for a host that has none.
    let pins: Set<Data>?

    /// - Parameter presented: what the host has shown, its own certificate first.
    /// - Throws: `tls` when that proves nothing, `pinMismatch` when it does but with other keys.
    @concurrent func verify(_ presented: [NIOSSLCertificate]) async throws(UpstreamError) {
        let chain = try await validated(presented)
        guard let pins else { return }
        do {
            for certificate in chain where pins.contains(try Self.keyHash(of: certificate)) { return }
        } catch {
            throw .tls(host: "\(host)", reason: "\(error)")
        }
        throw .pinMismatch(host: "\(host)")
    }

    private func validated(_ presented: [NIOSSLCertificate]) async throws(UpstreamError)
        -> X509.ValidatedCertificateChain
    {
        let certificates: [Certificate]
        do {
            certificates = try presented.map { try Certificate(derEncoded: $0.toDERBytes()) }
        } catch {
            throw .tls(host: "\(host)", reason: "its certificates cannot be read: \(error)")
        }
        guard let leaf = certificates.first else { throw .tls(host: "\(host)", reason: "it has no certificate") }
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            switch host {
            case .name(let name): ServerIdentityPolicy(serverHostname: name, serverIP: nil)
            case .address(let address): ServerIdentityPolicy(serverHostname: nil, serverIP: "\(address)")
            }
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst())) {
        case .validCertificate(let chain): return chain
        case .couldNotValidate(let failures):
            let reason = failures.last.map { "\($0.policyFailureReason)" } ?? "it leads to no trusted root"
            throw .tls(host: "\(host)", reason: "its certificate is not valid: \(reason)")
        }
    }

    /// As `openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256` has it.
    private static func keyHash(of certificate: Certificate) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        let key = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der).extractPublicKey()
        return Data(SHA256.hash(data: try key.toSPKIBytes()))
    }
}
