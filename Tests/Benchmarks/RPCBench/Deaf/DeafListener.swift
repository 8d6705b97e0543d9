import BenchKit
import Foundation

/// A peer that accepts connections but does not read. It uses raw sockets, because the runtime's server always reads.
enum DeafListener {
    /// - Parameter greets: whether it reads and answers `rpc.hello` before it stops reading.
    static func serve(on path: String, greets: Bool) throws {
        let listener = UnixAddress.makeSocket()
        guard UnixAddress(path).pass(to: { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        while true {
            let connection = accept(listener, nil, nil)
            // A probe of the socket connects without sending anything.
            if connection >= 0, greets { Thread.detachNewThread { greet(connection) } }
        }
    }

    private static func greet(_ connection: Int32) {
        guard let header = bytes(4, from: connection) else { return }
        let length = header.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        guard bytes(length, from: connection) != nil else { return }
        let count = UInt32(greeting.utf8.count)
        // The kind of a whole message is 0, which is also the first byte of this 32-bit length.
        let frame = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(greeting.utf8)
        _ = send(connection, frame, frame.count, Int32(MSG_NOSIGNAL))
    }

    /// The answer to the client's first request, whose id is 0.
    private static let greeting =
        #"{"jsonrpc":"2.0","id":0,"result":{"protocol":1,"#
        + #""service":{"name":"deaf","version":"1","instance":"0"},"contracts":{"bench":1},"#
        + #""features":["bytes","parts","credit"],"limits":{"frame_bytes":8388608}}}"#

    private static func bytes(_ count: Int, from connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = bytes.withUnsafeMutableBytes { recv(connection, $0.baseAddress! + filled, count - filled, 0) }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }
}
