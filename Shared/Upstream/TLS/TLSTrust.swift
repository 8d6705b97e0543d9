import Foundation
import NIOCore
import NIOSSL
import X509

/// Whom we believe to be whom they say. Lives on the event loop.
final class TLSTrust {
    private let extraRoots: [NIOSSLCertificate]
    private let pins: [Host: Set<Data>]
    private var loaded: (context: NIOSSLContext, roots: CertificateStore)?

    /// - Throws: `UpstreamOptionError` when the file of further roots cannot be used.
    init(_ settings: UpstreamSettings) throws(UpstreamOptionError) {
        pins = Dictionary(grouping: settings.pins, by: \.host).mapValues { Set($0.map(\.hash)) }
        guard let file = settings.extraRootsFile else {
            extraRoots = []
            return
        }
        do {
            extraRoots = try NIOSSLCertificate.fromPEMFile(file)
        } catch {
            throw UpstreamOptionError("\(file) cannot be read as certificates (PEM): \(error)")
        }
    }

    /// What TLS is spoken with, and what the server has to prove.
    func demands(on host: Host) async throws -> (context: NIOSSLContext, proof: ServerProof) {
        let (context, roots) = try await load()
        return (context, ServerProof(roots: roots, host: host, pins: pins[host]))
    }

    private func load() async throws -> (context: NIOSSLContext, roots: CertificateStore) {
        if let loaded { return loaded }
        let new = try await Self.read(extraRoots)
        loaded = new
        return new
    }

    /// Not on the event loop: the system has more than a hundred roots.
    @concurrent private static func read(
        _ extraRoots: [NIOSSLCertificate]
    ) async throws -> (context: NIOSSLContext, roots: CertificateStore) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // The roots that count are those of `ServerProof`.
        configuration.trustRoots = .certificates([])
        let roots = CertificateStore.systemTrustRoots.appending(
            contentsOf: try extraRoots.map { try Certificate(derEncoded: $0.toDERBytes()) })
        return (try NIOSSLContext(configuration: configuration), roots)
    }
}
