import NIOCore
import NIOSSL
import NIOTLS

/// Adds TLS to a connection and completes the handshake, before any byte of the request is written. Runs on the event loop.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let host: String
    private let loop: any EventLoop
    private let outcome = Waiting<Void>()

    private init(host: Host, on loop: any EventLoop) {
        self.host = "\(host)"
        self.loop = loop
    }

    /// - Throws: `tls`, `pinMismatch` or a time limit's error, after closing the channel.
    static func perform(
        with origin: Origin, on channel: any Channel, trust: TLSTrust, within limit: TimeLimit
    ) async throws(UpstreamError) {
        let handshake = TLSHandshake(host: origin.host, on: channel.eventLoop)
        do throws(UpstreamError) {
            try await handshake.perform(with: origin.host, on: channel, trust: trust, within: limit)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func perform(
        with host: Host, on channel: any Channel, trust: TLSTrust, within limit: TimeLimit
    ) async throws(UpstreamError) {
        let context = try await trust.context(for: host, within: limit)
        let tls: NIOSSLClientHandler
        do {
            // Without a name, NIOSSL compares the certificate with the connection's address.
            let name: String? = if case .name(let name) = host { name } else { nil }
            tls = try NIOSSLClientHandler(context: context, serverHostname: name)
            try channel.pipeline.syncOperations.addHandlers([tls, self])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            throw .tls(host: self.host, reason: Self.reason(error))
        }
        try await outcome.value(within: limit, on: loop) { channel.close(promise: nil) }
        guard let certificate = tls.peerCertificate else {
            throw .tls(host: self.host, reason: "it sent no certificate")
        }
        try trust.identity(of: host).check(certificate)
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try await channel.pipeline.syncOperations.removeHandler(self).get()
        } catch {
            throw .tls(host: self.host, reason: Self.reason(error))
        }
    }

    // MARK: Channel events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { outcome.end(.success(())) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The server must not send anything before the request.
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(Self.reason(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("it closed the connection during the handshake")
        context.fireChannelInactive()
    }

    private func fail(_ reason: String) { outcome.end(.failure(.tls(host: host, reason: reason))) }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(let error): words(of: error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: ServerIdentity.otherName
        case let error as NIOSSLExtraError: error.description
        default: "\(error)"
        }
    }

    /// The reason in a BoringSSL error, whose text also has numbers and source lines.
    private static func words(of error: any Error) -> String {
        let text = "\(error)"
        guard let name = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/)?.1 else { return text }
        return switch name {
        case "CERTIFICATE_VERIFY_FAILED":
            "its certificate is not valid, or its authority is not trusted (--upstream-ca FILE adds authorities)"
        // The error for a server that answers in plain text.
        case "WRONG_VERSION_NUMBER": "it does not speak TLS; use http:// if that is intended"
        default: name.lowercased().replacing("_", with: " ")
        }
    }
}
