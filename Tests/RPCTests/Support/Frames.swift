import Foundation
import RPC
import RPCTestKit
import Testing

/// Runs `body` with a connection that has sent `rpc.hello` with these features.
func withPeer<Result: Sendable>(
    of features: [String], gate: Gate = Gate(), limits: Limits = Limits(),
    executor: LoopExecutor = .still, _ body: (WirePeer, TestServer) async throws -> Result
) async throws -> Result {
    try await TestServer.with(EchoContract.table(gate), limits: limits, executor: executor) { server in
        let peer = try await WirePeer.connect(to: server.path)
        try await peer.greet(features)
        return try await body(peer, server)
    }
}

/// A request that echoes bytes, which are sent as this attachment of the envelope.
func bytesRequest(
    _ id: String, _ bytes: [UInt8], attachments: String = "[1]", meta: String = "{}", place: Int = 0
) -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"method":"echo.bytes","params":{"data":{"$bytes":{"attachment":\(place),\
    "size":\(bytes.count),"crc32":\(Bytes(Data(bytes)).crc32)}}},"meta":\(meta),"attachments":\(attachments)}
    """
}

/// The answer with the bytes in its text.
func bytesAnswer(_ id: String, _ bytes: [UInt8]) -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"result":{"data":{"$bytes":{"base64":"\(Data(bytes).base64EncodedString())",\
    "size":\(bytes.count),"crc32":\(Bytes(Data(bytes)).crc32)}}}}
    """
}

/// A request whose answer is a text of this length.
func grow(_ id: String, _ bytes: Int, meta: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"echo.grow","params":{"bytes":\#(bytes)},"meta":\#(meta)}"#
}

/// A request whose answer is a message of exactly this many bytes.
func growMessage(_ id: String, to length: Int, meta: String = "{}") -> String {
    grow(id, length - #"{"jsonrpc":"2.0","id":\#(id),"result":{"text":""}}"#.utf8.count, meta: meta)
}

/// A request whose answer has an attachment of this many bytes.
func blob(_ id: String, _ bytes: Int, meta: String = #"{"attachments":true}"#) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"echo.blob","params":{"bytes":\#(bytes)},"meta":\#(meta)}"#
}

func cancel(_ id: String) -> String { #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":\#(id)}}"# }

extension WirePeer {
    /// Receives the next frames.
    func frames(_ count: Int) async throws -> [WireFrame] {
        var frames: [WireFrame] = []
        for _ in 0..<count { frames.append(try #require(try await receiveFrame())) }
        return frames
    }

    /// Checks the next frames, byte for byte.
    func expect(_ frames: WireFrame..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for frame in frames {
            let received = try await receiveFrame()
            #expect(received == frame, sourceLocation: sourceLocation)
        }
    }

    /// Checks that the next answer is the error that ends the connection: without an id, and the last message.
    func expectRejection(
        _ message: String, _ kind: ErrorKind = .invalidRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await answer()
        #expect(answer.id == "null", sourceLocation: sourceLocation)
        #expect(answer.error?.kind == kind, sourceLocation: sourceLocation)
        #expect(answer.error?.message == message, sourceLocation: sourceLocation)
        #expect(answer.error?.begun == false, sourceLocation: sourceLocation)
        #expect(await rest() == [], sourceLocation: sourceLocation)
    }
}
