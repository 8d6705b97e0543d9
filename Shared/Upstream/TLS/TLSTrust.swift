import Foundation
import NIOCore
import NIOSSL

/// The certificate authorities that are trusted, and the pins of hosts. Lives on the event loop.
final class TLSTrust {
    typealias MakeContext = @Sendable (TLSConfiguration) throws -> NIOSSLContext

    private let loop: any EventLoop
    private let configuration: TLSConfiguration
    private let makeContext: MakeContext
    private let pins: [Host: Set<Data>]

    /// The context that all connections share, from the first request for it on.
    private var loading: EventLoopFuture<NIOSSLContext>?

    init(_ settings: UpstreamSettings, on loop: any EventLoop, makeContext: @escaping MakeContext) {
        self.loop = loop
        self.makeContext = makeContext
        pins = Dictionary(grouping: settings.pins, by: \.host).mapValues { Set($0.map(\.hash)) }
        // Verifies certificates and names, with the system's authorities: the default.
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.additionalTrustRoots = settings.authorities.map { .certificates($0.certificates) }
        self.configuration = configuration
    }

    /// What a host has to show beside a certificate that NIOSSL accepts.
    func identity(of host: Host) -> ServerIdentity { ServerIdentity(host: host, pins: pins[host]) }

    /// - Throws: `tls` when the system's authorities cannot be read, or the limit's error.
    func context(for host: Host, within limit: TimeLimit) async throws(UpstreamError) -> NIOSSLContext {
        let waiting = Waiting<NIOSSLContext>()
        load { result in
            waiting.end(
                result.mapError { .tls(host: "\(host)", reason: "the system's authorities cannot be read: \($0)") })
        }
        return try await waiting.value(within: limit, on: loop) {}
    }

    private func load(_ end: @escaping (Result<NIOSSLContext, any Error>) -> Void) {
        load().assumeIsolated().whenComplete(end)
    }

    /// Reads the system's authorities, more than a hundred, on a thread of its own: never on the event loop, and once for
    /// all who wait. A failure is not remembered.
    private func load() -> EventLoopFuture<NIOSSLContext> {
        if let loading { return loading }
        let promise = loop.makePromise(of: NIOSSLContext.self)
        loading = promise.futureResult
        promise.futureResult.assumeIsolated().whenFailure { _ in self.loading = nil }
        Thread.detachNewThread { [configuration, makeContext] in
            promise.completeWith(Result { try makeContext(configuration) })
        }
        return promise.futureResult
    }
}
