import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Calls over the number of connections in the load. Each gRPC client has one connection.
enum Caller {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    static func measure(_ load: Load, socket: String) async throws -> Measurement {
        try await withThrowingDiscardingTaskGroup { group in
            let clients = try (0..<load.connections).map { _ in
                GRPCClient(
                    transport: try HTTP2ClientTransport.Posix(
                        target: .unixDomainSocket(path: socket), transportSecurity: .plaintext))
            }
            for client in clients { group.addTask { try await client.runConnections() } }
            defer { clients.forEach { $0.beginGracefulShutdown() } }
            return try await load.measure(over: clients) { client, replyBytes in
                try await call(client, replyBytes)
                return true
            }
        }
    }

    private static func call(_ client: Client, _ replyBytes: Int) async throws {
        var request = [UInt8](repeating: UInt8(ascii: "k"), count: Load.requestBytes)
        for byte in 0..<4 { request[byte] = UInt8(truncatingIfNeeded: replyBytes >> (24 - 8 * byte)) }
        let size = try await client.unary(
            request: ClientRequest(message: request), descriptor: BenchService.get, serializer: RawBytes(),
            deserializer: RawBytes(), options: .defaults
        ) { try $0.message.count }
        guard size == replyBytes else { throw RPCError(code: .dataLoss, message: "\(size) bytes of \(replyBytes)") }
    }
}
