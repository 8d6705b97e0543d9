import BenchKit
import Foundation

/// The minimum work of the system: a thread per connection with blocking reads and writes.
enum FloorServer {
    static func serve(on path: String) throws {
        let listener = UnixAddress.makeSocket()
        guard UnixAddress(path).pass(to: { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            Thread.detachNewThread {
                answer(connection)
                close(connection)
            }
        }
    }

    private static let requestsPerRead = 640

    /// The largest write of a reply, from a buffer that is allocated once per connection.
    private static let bytesPerWrite = 256 * 1_024

    private static func answer(_ connection: Int32) {
        var requests = [UInt8](repeating: 0, count: Load.requestBytes * requestsPerRead)
        var reply = [UInt8](repeating: 0, count: bytesPerWrite)
        var filled = 0
        while true {
            let count = requests.withUnsafeMutableBytes {
                read(connection, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            guard count > 0 else { return }
            filled += count
            // Requests received together are answered together.
            let complete = filled / Load.requestBytes
            var owed = 0
            for request in 0..<complete { owed += RawRequest.replyBytes(requests[(request * Load.requestBytes)...]) }
            while owed > 0 {
                let count = min(owed, bytesPerWrite)
                let written = reply.withUnsafeMutableBytes { reply in
                    // New bytes for every reply, as in every subject.
                    reply.prefix(count).initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "v"))
                    return send(connection, reply.baseAddress, count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                owed -= written
            }
            let rest = requests[complete * Load.requestBytes..<filled]
            requests.replaceSubrange(0..<rest.count, with: rest)
            filled = rest.count
        }
    }
}
