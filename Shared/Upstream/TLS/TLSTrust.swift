import Crypto
import Foundation
import NIOCore
import NIOSSL
import X509

/// Whom we believe to be whom they say. Lives on the event loop; what takes time to load is loaded when it is first needed.
final class TLSTrust {
    private let extraRoots: [NIOSSLCertificate]
    private let pins: [Host: Set<Data>]
    private var context: NIOSSLContext?
    private var store: CertificateStore?

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

    /// The pins of a host; nil when it has none.
    func pins(of host: Host) -> Set<Data>? { pins[host] }

    /// Verification of chain and name by the system's roots and ours is its default.
    func sharedContext() throws -> NIOSSLContext {
        if let context { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.additionalTrustRoots = [.certificates(extraRoots)]
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        self.context = context
        return context
    }

    /// The same roots for the chains of pinned hosts.
    func rootStore() throws -> CertificateStore {
        if let store { return store }
        let store = CertificateStore.systemTrustRoots.appending(
            contentsOf: try extraRoots.map { try Certificate(derEncoded: $0.toDERBytes()) })
        self.store = store
        return store
    }
}
