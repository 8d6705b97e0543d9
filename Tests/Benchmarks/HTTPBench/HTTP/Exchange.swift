import BenchKit
import Foundation

/// One request on a connection of its own, and its response.
struct Exchange {
    let status: Int
    let body: Data

    /// The fields by their names in lower case.
    let fields: [String: String]

    /// The time from sending the request to the end of the response.
    let milliseconds: Double

    /// - Parameter more: fields of the request.
    init(port: Int, _ path: String, _ more: [String] = []) throws {
        let connection = try HTTPCallers.connect(port)
        defer { close(connection) }
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + more
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let start = MonotonicTime.now()
        guard send(connection, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Failure("send: \(errno)")
        }
        let response = try Self.readAll(connection)
        milliseconds = Double(MonotonicTime.now() - start) / 1e6
        guard let end = response.firstRange(of: Data("\r\n\r\n".utf8)) else { throw Failure("no response to \(path)") }
        let head = String(decoding: response[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        status = head.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        let pairs = head.dropFirst().compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)) : nil
        }
        fields = Dictionary(pairs) { first, _ in first }
        body = Data(response[end.upperBound...])
    }

    private static let patience: Int32 = 30_000

    /// Reads until the server closes the connection.
    private static func readAll(_ connection: Int32) throws -> Data {
        var response = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, patience) > 0 else { throw Failure("no response arrives") }
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { return response }
            response += buffer.prefix(count)
        }
    }
}
