import Glibc
import NIOSSL

/// The certificate authorities of a file (PEM), trusted beside those of the system.
public struct CertificateAuthorities: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads the file.
    /// - Throws: `UpstreamOptionError`, saying what is wrong with it.
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
            "\(file) has no certificates, or one that is damaged: write them as PEM (-----BEGIN CERTIFICATE-----).")
    }
}
