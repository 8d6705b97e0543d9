import Foundation

/// The socket on which a supervisor receives messages (`NOTIFY_SOCKET`).
final class NotifySocket: Sendable {
    private let descriptor: Int32

    /// The received messages, in order.
    let messages: AsyncStream<String>

    /// Listens while `body` runs.
    /// - Parameter address: a path, or `@name` for an abstract socket.
    static func with(_ address: String, _ body: (NotifySocket) async throws -> Void) async throws {
        let socket = try NotifySocket(address)
        defer {
            // The reading thread then sees the end of file.
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
        }
        try await body(socket)
    }

    private struct NotBound: Error {}

    private init(_ address: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw NotBound() }
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                if count <= 0 { break }
                continuation.yield(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
            close(descriptor)
            continuation.finish()
        }
    }
}
