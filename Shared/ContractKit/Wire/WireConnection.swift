import Foundation
import RPC

/// A connection to an implementation, which may be hostile: every operation has a deadline, and memory is bounded by one frame.
/// It blocks its thread.
final class WireConnection {
    private let socket: Int32
    private var received: [UInt8] = []
    private var isAtEnd = false

    /// - Throws: `PeerFault` when nothing accepts the connection.
    init(to path: SocketPath, by deadline: Deadline) throws {
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw PeerFault.system("socket") }
        self.socket = socket
        while path.withAddress({ connect(socket, $0, $1) }) != 0 {
            // A full backlog cannot be waited for with `poll`.
            guard errno == EAGAIN, !deadline.isOver else { throw PeerFault.system("cannot connect to \(path)") }
            usleep(1_000)
        }
    }

    deinit { close(socket) }

    // MARK: Sending

    func send(_ bytes: [UInt8], by deadline: Deadline) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard wait(for: POLLOUT, by: deadline) else {
                    throw PeerFault("did not read for \(deadline.time.text)")
                }
            } else if errno != EINTR {
                throw PeerFault("closed the connection before it had read everything")
            }
        }
    }

    func send(_ frame: Frame, by deadline: Deadline) throws { try send(frame.bytes, by: deadline) }

    /// Shuts down the sending side.
    func closeSending() { shutdown(socket, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// The next frame; nil when the other side has closed the connection between frames.
    func frame(by deadline: Deadline) throws -> Frame? {
        guard try fill(to: 4, by: deadline) else {
            if received.isEmpty { return nil }
            throw PeerFault("closed the connection inside the header of a frame")
        }
        let header = received.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let length = header & Frame.maximumBytes
        guard try fill(to: 4 + length, by: deadline) else {
            throw PeerFault("closed the connection inside a frame of \(length) bytes, after \(received.count - 4)")
        }
        let payload = Array(received[4..<4 + length])
        received.removeFirst(4 + length)
        return Frame(kind: UInt8(header >> 24), payload: payload)
    }

    /// Whether anything arrives within a time, also the end.
    func isSilent(for time: Duration) -> Bool {
        received.isEmpty && !isAtEnd && !wait(for: POLLIN, by: Deadline(time))
    }

    /// - Returns: false at the end.
    private func fill(to count: Int, by deadline: Deadline) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while received.count < count {
            if isAtEnd { return false }
            let size = recv(socket, &chunk, chunk.count, 0)
            if size > 0 {
                received += chunk.prefix(size)
            } else if size == 0 || errno == ECONNRESET {
                isAtEnd = true
            } else if errno == EAGAIN {
                guard wait(for: POLLIN, by: deadline) else { throw PeerFault.silent(deadline.time) }
            } else if errno != EINTR {
                throw PeerFault.system("cannot read")
            }
            if deadline.isOver, received.count < count { throw PeerFault.silent(deadline.time) }
        }
        return true
    }

    private func wait(for event: Int32, by deadline: Deadline) -> Bool {
        while !deadline.isOver {
            var file = pollfd(fd: socket, events: Int16(event), revents: 0)
            if poll(&file, 1, deadline.pollMilliseconds) > 0 { return true }
        }
        return false
    }
}

extension PeerFault {
    fileprivate static func system(_ what: String) -> PeerFault {
        PeerFault("\(what): \(String(cString: strerror(errno)))")
    }
}
