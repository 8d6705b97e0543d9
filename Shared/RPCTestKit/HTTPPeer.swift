import RPC

/// An HTTP client that sends exactly the bytes that a test gives.
public struct HTTPPeer: Sendable {
    public let wire: WirePeer
    private let port: Int

    /// A separate event loop: real clients are other processes and do not wait for the server's loop.
    private static let executor = LoopExecutor.separate()

    public static func connect(port: Int) async throws -> HTTPPeer {
        HTTPPeer(wire: try await .connect(port: port, executor: executor), port: port)
    }

    /// Sends text unchanged, including its line ends.
    public func send(_ text: String) async throws { try await wire.send(Array(text.utf8)) }

    /// Sends a request.
    /// - Parameter fields: lines such as `Range: bytes=0-1`.
    public func request(_ target: String, method: String = "GET", _ fields: [String] = []) async throws {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields
        try await send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// The next response; nil when the server has closed the connection.
    /// - Parameter hasBody: false for the response to a `HEAD` request.
    public func receive(hasBody: Bool = true) async -> HTTPReply? {
        guard let head = await wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)),
            var reply = HTTPReply(head: String(decoding: head, as: UTF8.self))
        else {
            return nil
        }
        let mayHaveBody = hasBody && ![204, 304].contains(reply.status)
        if mayHaveBody, let length = reply["Content-Length"].flatMap(Int.init), length > 0 {
            guard let body = await wire.receiveBytes(length) else { return nil }
            reply.body = body
        }
        return reply
    }

    /// Sends a request on a new connection and waits for the response.
    public static func exchange(
        port: Int, _ target: String, method: String = "GET", _ fields: [String] = []
    ) async throws -> HTTPReply {
        let peer = try await connect(port: port)
        try await peer.request(target, method: method, fields)
        let reply = await peer.receive(hasBody: method != "HEAD")
        try await peer.wire.close()
        guard let reply else { throw NoReply() }
        return reply
    }

    /// The server closed the connection without a response.
    public struct NoReply: Error {}
}

/// A response, with its body as raw bytes.
public struct HTTPReply: Sendable {
    public let status: Int
    public let fields: [(name: String, value: String)]
    public var body: [UInt8] = []

    init?(head: String) {
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        self.status = status
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[colon...].dropFirst().trimmingPrefix(" ").description)
        }
    }

    /// The first header with this name, case-insensitive.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}
