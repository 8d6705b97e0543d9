import NIOCore
import NIOEmbedded
import NIOHTTP1
import Timing

@testable import Upstream

/// Gives any bytes of a server to a connection. There must be one response within the limits, or an error.
///
/// This file is compiled twice: into `UpstreamTests`, which replays the corpus, and with coverage instrumentation into
/// `rpc-fuzz` (Tests/Fuzzing/fuzz).
package enum ResponseFuzz {
    /// A violated invariant.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String

        static func unless(_ condition: Bool, _ description: String) throws(Finding) {
            if !condition { throw Finding(description: description) }
        }
    }

    /// Runs one input. Its first byte chooses the limit of the body, the second how the rest is split into pieces.
    package static func run(_ bytes: [UInt8]) throws {
        let bodyLimit = [16, 1_000, 70_000][Int(bytes.first ?? 0) % 3]
        let pieces = 1 + Int(bytes.dropFirst().first ?? 0) % 32
        let sent = Array(bytes.dropFirst(2))
        let whole = try outcome(of: sent, cutBy: max(1, sent.count), bodyLimit: bodyLimit)
        let split = try outcome(of: sent, cutBy: pieces, bodyLimit: bodyLimit)
        try check(whole, bodyLimit: bodyLimit)
        try check(split, bodyLimit: bodyLimit)
        // The limit on overhead is applied piece by piece, so the two may differ.
        if whole.isExcess || split.isExcess { return }
        // The pieces decide which of two faults is found first.
        if case (.failure, .failure) = (whole, split) { return }
        try Finding.unless("\(whole)" == "\(split)", "split into other pieces, \(whole) is \(split)")
    }

    private typealias Outcome = Result<Exchange.Outcome, UpstreamError>

    private static func outcome(of bytes: [UInt8], cutBy length: Int, bodyLimit: Int) throws -> Outcome {
        let channel = EmbeddedChannel(loop: EmbeddedEventLoop())
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
        let url = try HTTPURL("http://a.example/folder/file?query", limit: 100)
        var limits = UpstreamLimits()
        limits.headerBytes = 400
        limits.headerCount = 8
        var freed = 0
        let connection = try HTTPConnection.begin(
            to: url.origin, on: channel, clock: .system, limits: limits, whenFree: { _ in freed += 1 },
            whenClosed: { _ in })
        let reader = ResponseReader(url: url, limits: limits, bodyLimit: bodyLimit)
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target)
        guard let exchange = connection.send(head, reader) else {
            throw Finding(description: "a new connection is dead")
        }
        var rest = bytes[...]
        while !rest.isEmpty, channel.isActive {
            try channel.writeInbound(ByteBuffer(bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        try Finding.unless(freed <= 1, "the connection became idle twice for one request")
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        guard let result = exchange.result else {
            throw Finding(description: "a closed connection leaves its caller waiting")
        }
        return result
    }

    private static func check(_ outcome: Outcome, bodyLimit: Int) throws {
        switch outcome {
        case .success(.unanswered): break
        case .success(.response(let response)):
            try check(response, bodyLimit: bodyLimit)
            try checkRedirect(response)
        case .failure(let error):
            if let partial = error.partial { try check(partial, bodyLimit: bodyLimit) }
        }
    }

    private static func check(_ response: UpstreamResponse, bodyLimit: Int) throws {
        try Finding.unless(response.body.count <= bodyLimit, "a body above the limit")
        try Finding.unless((200...999).contains(response.status), "status \(response.status) is not final")
        let fields = response.headers.fields
        try Finding.unless(fields.count <= 8, "\(fields.count) headers")
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        // Each byte that is not UTF-8 becomes three.
        try Finding.unless(bytes <= 3 * 400, "\(bytes) bytes of headers")
        let hasControls = fields.contains { field in
            (field.name + field.value).utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
        }
        try Finding.unless(!hasControls, "a header that contains a line end")
    }

    /// Checks that the target of a redirect is a normalised URL.
    private static func checkRedirect(_ response: UpstreamResponse) throws {
        let from = try HTTPURL(response.url, limit: 100)
        guard let target = try? Redirect.target(of: response, from: from, limit: 200) else { return }
        try Finding.unless("\(target)".utf8.count <= 200 + "http:///".utf8.count + 12, "a URL above the limit")
        let again = try HTTPURL("\(target)", limit: 1_000)
        try Finding.unless(again == target && "\(again)" == "\(target)", "read again, \(target) is another URL")
    }
}

extension Result<Exchange.Outcome, UpstreamError> {
    /// Whether it is the error for too much overhead or too large a header.
    fileprivate var isExcess: Bool {
        switch self {
        case .failure(.tooLarge(.header, _)), .failure(.malformed("it has more overhead than content")): true
        default: false
        }
    }
}
