import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Replies with the number of bytes in the first four bytes of the request.
struct BenchService: RegistrableRPCService {
    static let get = MethodDescriptor(fullyQualifiedService: "Bench", method: "Get")

    static func serve(on socket: String) async throws {
        let server = GRPCServer(
            transport: .http2NIOPosix(address: .unixDomainSocket(path: socket), transportSecurity: .plaintext),
            services: [BenchService()])
        try await server.serve()
    }

    func registerMethods(with router: inout RPCRouter<some ServerTransport>) {
        router.registerHandler(forMethod: Self.get, deserializer: RawBytes(), serializer: RawBytes()) { request, _ in
            let request = try await ServerRequest(stream: request)
            let size = request.message.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            return StreamingServerResponse(
                single: ServerResponse(message: [UInt8](repeating: UInt8(ascii: "v"), count: size)))
        }
    }
}

/// A codec for messages that are raw bytes.
struct RawBytes: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
        bytes.withUnsafeBytes { Array($0) }
    }
}
