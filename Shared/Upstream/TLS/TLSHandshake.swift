import NIOCore
import NIOSSL
import NIOTLS

/// Puts TLS on a connection. Nothing of the request is written before it has ended. Lives on the event loop.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private typealias Question = (certificates: [NIOSSLCertificate], answer: EventLoopPromise<NIOSSLVerificationResult>)

    private let host: String
    private let loop: any EventLoop
    private let outcome = Waiting<Void>()

    /// What the server has shown, for us to judge.
    private let question = Waiting<Question>()

    private init(host: Host, on loop: any EventLoop) {
        self.host = "\(host)"
        self.loop = loop
    }

    /// - Throws: `tls`, `pinMismatch` or a time limit's error; the channel is closed then.
    static func perform(
        with origin: Origin, on channel: any Channel, trust: TLSTrust, within limit: TimeLimit
    ) async throws(UpstreamError) {
        let handshake = TLSHandshake(host: origin.host, on: channel.eventLoop)
        do throws(UpstreamError) {
            try await handshake.perform(with: origin, on: channel, trust: trust, within: limit)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func perform(
        with origin: Origin, on channel: any Channel, trust: TLSTrust, within limit: TimeLimit
    ) async throws(UpstreamError) {
        let proof: ServerProof
        do {
            let demands = try await trust.demands(on: origin.host)
            proof = demands.proof
            try channel.pipeline.syncOperations.addHandlers([
                try sslHandler(to: origin.host, in: demands.context), self,
            ])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            throw .tls(host: host, reason: Self.reason(error))
        }
        let (certificates, answer) = try await question.value(within: limit, on: loop) { channel.close(promise: nil) }
        do throws(UpstreamError) {
            try await proof.verify(certificates)
        } catch {
            // Our error is the one that counts, not the one that the handshake now ends with.
            outcome.end(.failure(error))
            answer.succeed(.failed)
            throw error
        }
        answer.succeed(.certificateVerified)
        try await outcome.value(within: limit, on: loop) { channel.close(promise: nil) }
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try await channel.pipeline.syncOperations.removeHandler(self).get()
        } catch {
            throw .tls(host: host, reason: Self.reason(error))
        }
    }

    private func sslHandler(to host: Host, in context: NIOSSLContext) throws -> NIOSSLClientHandler {
        // Addresses have no place in SNI.
        let name: String? = if case .name(let name) = host { name } else { nil }
        return try NIOSSLClientHandler(context: context, serverHostname: name) { certificates, answer in
            if !self.question.end(.success((certificates, answer))) { answer.succeed(.failed) }
        }
    }

    // MARK: Channel events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { outcome.end(.success(())) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // It speaks before it was asked: an answer to nothing, or to whatever we would ask.
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(Self.reason(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("it closed the connection while keys were agreed on")
        context.fireChannelInactive()
    }

    private func fail(_ reason: String) {
        question.end(.failure(.tls(host: host, reason: reason)))
        outcome.end(.failure(.tls(host: host, reason: reason)))
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(let error): words(of: error)
        case let error as NIOSSLExtraError: error.description
        default: "\(error)"
        }
    }

    /// The library's errors have numbers and lines of its sources around what they mean.
    private static func words(of error: any Error) -> String {
        let text = "\(error)"
        guard let name = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/)?.1 else { return text }
        // What comes from a server that answers in plain text.
        if name == "WRONG_VERSION_NUMBER" { return "it does not speak TLS; is it http:// that was meant?" }
        return name.lowercased().replacing("_", with: " ")
    }
}
