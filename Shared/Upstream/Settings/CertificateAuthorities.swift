import Glibc
import NIOSSL

/// The certificate authorities in a PEM file, trusted in addition to the system's.
public struct CertificateAuthorities: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads the file.
    /// - Throws: `UpstreamOptionError`.
    public init(file: String) throws(UpstreamOptionError) {
        guard access(file, R_OK) == 0 else {
            throw UpstreamOptionError("Cannot read \(file): \(String(cString: strerror(errno))).")
        }
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(file)
        } catch {
            throw Self.noCertificates(file)
        }
        guard !certificates.isEmpty else { throw Self.noCertificates(file) }
    }

    private static func noCertificates(_ file: String) -> UpstreamOptionError {
        UpstreamOptionError(
            "\(file) contains no certificate, or a damaged one: write them as PEM (-----BEGIN CERTIFICATE-----).")
    }
}
