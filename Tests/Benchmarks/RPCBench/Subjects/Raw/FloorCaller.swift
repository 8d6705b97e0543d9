import BenchKit
import Foundation
import NIOCore

/// Calls the floor server, with a thread per connection.
enum FloorCaller {
    static func measure(_ load: Load, socket: String) async throws -> Measurement {
        let connections = try (0..<load.connections).map { _ in try FloorConnection(socket, load) }
        try connections[0].callOnce()
        let firstAnswer = WallClock.now()
        let period = Period(load, tallies: load.connections)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for connection in connections {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(with: Result { try connection.keepCalling(period) })
                        }
                    }
                }
            }
            return try await group.reduce(into: Tally(period)) { $0.add($1) }
        }
        return Measurement(tally, firstAnswer: firstAnswer)
    }
}

private struct FloorConnection: Sendable {
    private let descriptor: Int32
    private let underWay: Int
    private let replyBytes: Int

    init(_ path: String, _ load: Load) throws {
        descriptor = UnixAddress.makeSocket()
        underWay = load.underWay / load.connections
        replyBytes = load.replyBytes
        guard UnixAddress(path).pass(to: { [descriptor] in connect(descriptor, $0, $1) }) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
    }

    func callOnce() throws {
        var (unsent, unread) = (Load.requestBytes, replyBytes)
        let requests = RawRequest.bytes(askingFor: replyBytes)
        while unsent > 0 { unsent -= try send(requests, from: requests.count - unsent, MSG_NOSIGNAL) }
        var buffer = [UInt8](repeating: 0, count: Self.bytesPerRead)
        while unread > 0 { unread -= try receive(&buffer) }
    }

    private static let bytesPerRead = 256 * 1_024

    /// Reads whenever bytes are available, so that the two sides cannot block each other.
    func keepCalling(_ period: Period) throws -> Tally {
        let requests = (0..<underWay).flatMap { _ in RawRequest.bytes(askingFor: replyBytes) }
        var tally = Tally(period)
        var buffer = [UInt8](repeating: 0, count: Self.bytesPerRead)
        var starts = CircularBuffer<Int64>(repeating: MonotonicTime.now(), count: underWay)
        var (unsent, received) = (requests.count, 0)
        while true {
            if unsent > 0 { unsent -= try send(requests, from: requests.count - unsent, MSG_NOSIGNAL | MSG_DONTWAIT) }
            if unsent > 0 {
                var either = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
                guard poll(&either, 1, -1) > 0 else { throw Failure("poll: \(errno)") }
                guard either.revents & Int16(POLLIN) != 0 else { continue }
            }
            received += try receive(&buffer)
            let now = MonotonicTime.now()
            while received >= replyBytes, let start = starts.popFirst() {
                received -= replyBytes
                if tally.add(from: start, to: now) {
                    starts.append(now)
                    unsent += Load.requestBytes
                }
            }
            if starts.isEmpty { return tally }
        }
    }

    /// - Returns: the number of bytes written to the socket.
    private func send(_ requests: [UInt8], from offset: Int, _ flags: Int) throws -> Int {
        let count = requests.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset, Int32(flags))
        }
        guard count >= 0 || errno == EAGAIN else { throw Failure("send: \(errno)") }
        return max(count, 0)
    }

    private func receive(_ buffer: inout [UInt8]) throws -> Int {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { throw Failure("read: \(count < 0 ? errno : 0)") }
        return count
    }
}
