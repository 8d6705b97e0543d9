import Foundation
import NIOCore
import NIOHTTP1

/// A body that is received in pieces.
public struct UpstreamStream: Sendable {
    /// The media type, in lower case.
    public let mediaType: String

    /// Called on the client's event loop for each piece.
    public let receive: @Sendable (ByteBuffer) -> Void

    public init(mediaType: String, receive: @escaping @Sendable (ByteBuffer) -> Void) {
        self.mediaType = mediaType
        self.receive = receive
    }

    func isType(of head: HTTPResponseHead) -> Bool {
        let type = head.headers.first(name: "content-type") ?? ""
        return type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() == mediaType
    }
}
