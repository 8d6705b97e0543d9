import Foundation
import NIOCore
import NIOSSL

/// The trusted certificate authorities and the pins of hosts. Runs on the event loop.
final class TLSTrust {
    typealias MakeContext = @Sendable (TLSConfiguration) throws -> NIOSSLContext

    private let loop: any EventLoop
    private let configuration: TLSConfiguration
    private let makeContext: MakeContext
    private let pins: [Host: Set<Data>]

    /// The context that all connections share, loaded on first use.
    private var loading: EventLoopFuture<NIOSSLContext>?

    init(_ settings: UpstreamSettings, on loop: any EventLoop, makeContext: @escaping MakeContext) {
        self.loop = loop
        self.makeContext = makeContext
        pins = Dictionary(grouping: settings.pins, by: \.host).mapValues { Set($0.map(\.hash)) }
        // The default verifies certificates and names with the system's authorities.
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.additionalTrustRoots = settings.authorities.map { .certificates($0.certificates) }
        self.configuration = configuration
    }

    /// The checks of a host's certificate in addition to those of NIOSSL.
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

    /// Reads the system's authorities, more than a hundred, on its own thread, because that would block the event loop.
    /// Concurrent callers share one load. A failure is not cached.
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
