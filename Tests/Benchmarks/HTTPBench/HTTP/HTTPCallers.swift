import BenchKit
import Glibc

/// Persistent connections to a port of this machine, each with at most one running request, on the caller's thread.
final class HTTPCallers {
    private struct Caller {
        let descriptor: Int32
        var reader = AnswerReader()
        var begun: Int64 = 0
    }

    private var callers: [Caller] = []

    /// The descriptors to poll, by caller; a caller without a running request has none.
    private var awaited: [pollfd] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1_024, alignment: 16)

    /// The poll timeout in milliseconds, longer than any measured time.
    private static let patience: Int32 = 30_000

    init(port: Int, count: Int) throws {
        for _ in 0..<count {
            callers.append(Caller(descriptor: try Self.connect(port)))
            awaited.append(pollfd(fd: -1, events: Int16(POLLIN), revents: 0))
        }
    }

    deinit {
        hangUp()
        buffer.deallocate()
    }

    /// Closes all connections, even those with a running request.
    func hangUp() {
        for caller in callers { close(caller.descriptor) }
        callers = []
    }

    /// A connected socket that does not block.
    static func connect(_ port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Failure("connect to port \(port): \(errno)")
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    // MARK: Calls

    /// Sends the same request on every connection at once.
    /// - Returns: the nanoseconds from the first request to the end of the last response.
    @discardableResult
    func askTogether(_ path: String) throws -> Int64 {
        let request = Self.request(path)
        let start = MonotonicTime.now()
        for index in callers.indices { try send(request, index) }
        var left = callers.count
        var end = start
        while left > 0 {
            try wait { _, _, now in
                left -= 1
                end = now
            }
        }
        return end - start
    }

    /// Requests every path once, spread over the connections.
    func askEach(_ paths: [String]) throws {
        var (next, left) = (0, 0)
        func askNext(_ index: Int) throws {
            guard next < paths.count else { return }
            try send(Self.request(paths[next]), index)
            (next, left) = (next + 1, left + 1)
        }
        for index in callers.indices { try askNext(index) }
        while left > 0 {
            try wait { index, _, _ in
                left -= 1
                try askNext(index)
            }
        }
    }

    /// Sends a request on the first connection, without waiting for the response.
    func ask(_ path: String) throws { try send(Self.request(path), 0) }

    /// Sends requests on every connection, one after the other, for the given time.
    /// - Parameter paths: the paths, requested in turn. Each connection starts with another one.
    func keepAsking(_ paths: [String], warmUpSeconds: Double, seconds: Double) throws -> HTTPTally {
        let requests = paths.map(Self.request)
        let from = MonotonicTime.now() + Int64(warmUpSeconds * 1e9)
        let until = from + Int64(seconds * 1e9)
        var tally = HTTPTally()
        var nexts = callers.indices.map { $0 * requests.count / callers.count }
        func askNext(_ index: Int) throws {
            try send(requests[nexts[index] % requests.count], index)
            nexts[index] += 1
        }
        for index in callers.indices { try askNext(index) }
        var left = callers.count
        while left > 0 {
            try wait { index, begun, now in
                tally.allCalls += 1
                if begun >= from, now <= until { tally.add(now - begun, bytes: callers[index].reader.bodyBytes) }
                if now < until { try askNext(index) } else { left -= 1 }
            }
        }
        tally.seconds = seconds
        return tally
    }

    /// The body size at each path, in bytes.
    func sizes(_ paths: [String]) throws -> [Int] {
        try paths.map { path in
            try send(Self.request(path), 0)
            var size: Int?
            while size == nil { try wait { _, _, _ in size = callers[0].reader.bodyBytes } }
            return size ?? 0
        }
    }

    private static func request(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".utf8)
    }

    private func send(_ request: [UInt8], _ index: Int) throws {
        callers[index].begun = MonotonicTime.now()
        let sent = Glibc.send(callers[index].descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        guard sent == request.count else { throw Failure("send: \(errno)") }
        awaited[index].fd = callers[index].descriptor
    }

    /// Waits for received bytes.
    /// - Parameter answered: called for each complete response, with the time of its request.
    private func wait(_ answered: (_ index: Int, _ begun: Int64, _ now: Int64) throws -> Void) throws {
        let count = poll(&awaited, nfds_t(awaited.count), Self.patience)
        guard count > 0 else { throw Failure(count == 0 ? "no response arrives" : "poll: \(errno)") }
        for index in awaited.indices where awaited[index].fd >= 0 && awaited[index].revents != 0 {
            let received = recv(callers[index].descriptor, buffer.baseAddress, buffer.count, 0)
            guard received > 0 else {
                if received < 0, errno == EAGAIN { continue }
                throw Failure(received == 0 ? "a connection was closed" : "recv: \(errno)")
            }
            let bytes = UnsafeRawBufferPointer(start: buffer.baseAddress, count: received)
            guard try callers[index].reader.add(bytes) else { continue }
            awaited[index].fd = -1
            try answered(index, callers[index].begun, MonotonicTime.now())
        }
    }
}

/// The measurements of all callers.
struct HTTPTally {
    var latencies = Latencies()
    var bytes = 0

    /// The number of calls, including the warm-up.
    var allCalls = 0
    var seconds = 0.0

    mutating func add(_ time: Int64, bytes: Int) {
        latencies.add(time)
        self.bytes += bytes
    }

    var callsPerSecond: Double { Double(latencies.count) / seconds }
}
