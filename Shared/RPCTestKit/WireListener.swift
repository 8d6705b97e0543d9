import NIOCore
import NIOPosix
import RPC

/// A server that exchanges raw bytes, for tests of a client with any peer.
public final class WireListener {
    public let path: SocketPath
    private var accepted: AsyncStream<WirePeer>.Iterator

    private init(_ path: SocketPath, _ accepted: AsyncStream<WirePeer>.Iterator) {
        self.path = path
        self.accepted = accepted
    }

    /// Listens while `body` runs.
    public static func with<Result>(
        at path: SocketPath? = nil, _ body: (WireListener) async throws -> Result
    ) async throws -> Result {
        guard let path else {
            return try await withTemporaryDirectory { directory in
                try await with(at: SocketPath(directory + "/test.sock"), body)
            }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: WirePeer.self)
        let listener = try await ServerBootstrap(group: LoopExecutor.shared.loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    continuation.yield(try WirePeer(on: channel))
                }
            }
            .bind(unixDomainSocketPath: path.description, cleanupExistingSocketFile: true)
            .get()
        do {
            let result = try await body(WireListener(path, stream.makeAsyncIterator()))
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    /// The next client that connects.
    public func accept() async throws -> WirePeer {
        guard let peer = await accepted.next(isolation: #isolation) else { throw CancellationError() }
        return peer
    }

    /// The next client that connects, after its `rpc.hello` was answered.
    public func acceptGreeting(
        callsPerConnection: Int = 100, frameBytes: Int = 1_000_000, features: [String] = []
    ) async throws -> WirePeer {
        let peer = try await accept()
        _ = try await peer.receive()
        try await peer.sendGreeting(
            callsPerConnection: callsPerConnection, frameBytes: frameBytes, features: features)
        return peer
    }
}

extension WirePeer {
    /// Answers the `rpc.hello` of a client.
    public func sendGreeting(
        callsPerConnection: Int = 100, frameBytes: Int = 1_000_000, features: [String] = []
    ) async throws {
        try await send(
            """
            {"jsonrpc":"2.0","id":0,"result":{"protocol":1,"service":{"name":"wire","version":"1","instance":"1"},\
            "contracts":{},"features":[\(features.map { "\"\($0)\"" }.joined(separator: ","))],\
            "limits":{"frame_bytes":\(frameBytes),\
            "calls_per_connection":\(callsPerConnection),"default_timeout_ms":30000}}}
            """)
    }
}
