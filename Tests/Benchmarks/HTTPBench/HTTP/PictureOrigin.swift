import BenchKit
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An origin server of pictures that counts its requests.
struct PictureOrigin: Sendable {
    /// The response for a path.
    struct Answer: Sendable {
        let contentType: String
        let body: Data

        static func json(_ text: String) -> Answer { Answer(contentType: "application/json", body: Data(text.utf8)) }
    }

    let counter: RequestCounter
    let port: Int
    private let channel: any Channel

    var url: String { "http://127.0.0.1:\(port)" }

    /// A request.
    struct Request: Sendable {
        let path: String

        /// The server's own base URL.
        let origin: String
    }

    typealias Answering = @Sendable (Request) -> Answer?

    /// - Parameters:
    ///   - delay: the delay of every response.
    ///   - isSilent: whether requests for a path are never answered.
    static func start(
        delay: TimeAmount = .zero, isSilent: @escaping @Sendable (String) -> Bool = { _ in false },
        _ answer: @escaping Answering
    ) async throws -> PictureOrigin {
        let counter = RequestCounter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 512)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        PictureHandler(delay: delay, isSilent: isSilent, counter: counter, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return PictureOrigin(counter: counter, port: channel.localAddress?.port ?? 0, channel: channel)
    }

    func stop() async throws { try await channel.close() }
}

/// Counts the requests for each path, and the concurrent requests.
final class RequestCounter: Sendable {
    private struct Counts {
        var byPath: [String: Int] = [:]
        var total = 0
        var underWay = 0
        var mostUnderWay = 0
        var lost: [String: Int64] = [:]
    }

    private let counts = Mutex(Counts())

    var total: Int { counts.withLock { $0.total } }
    var mostUnderWay: Int { counts.withLock { $0.mostUnderWay } }

    func count(of path: String) -> Int { counts.withLock { $0.byPath[path] ?? 0 } }

    /// The time at which the client of an unanswered request disconnected, by the monotonic clock.
    func lost(_ path: String) -> Int64? { counts.withLock { $0.lost[path] } }

    fileprivate func lose(_ path: String) {
        let now = MonotonicTime.now()
        counts.withLock { counts in
            counts.lost[path] = now
            counts.underWay -= 1
        }
    }

    fileprivate func begin(_ path: String) {
        counts.withLock { counts in
            counts.byPath[path, default: 0] += 1
            counts.total += 1
            counts.underWay += 1
            counts.mostUnderWay = max(counts.mostUnderWay, counts.underWay)
        }
    }

    fileprivate func end() { counts.withLock { $0.underWay -= 1 } }
}

private final class PictureHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let delay: TimeAmount
    private let counter: RequestCounter
    private let answer: PictureOrigin.Answering
    private let isSilent: @Sendable (String) -> Bool
    private var path = ""
    private var isUnderWay = false

    init(
        delay: TimeAmount, isSilent: @escaping @Sendable (String) -> Bool, counter: RequestCounter,
        answer: @escaping PictureOrigin.Answering
    ) {
        self.delay = delay
        self.isSilent = isSilent
        self.counter = counter
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): path = head.uri
        case .body: break
        case .end:
            counter.begin(path)
            isUnderWay = true
            guard !isSilent(path) else { return }
            guard delay > .zero else { return respond(context) }
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.respond(context) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isUnderWay { counter.lose(path) }
        isUnderWay = false
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard isUnderWay else { return }
        isUnderWay = false
        // Count before sending, so that a received response is always counted.
        counter.end()
        let port = context.channel.localAddress?.port ?? 0
        let answer = answer(PictureOrigin.Request(path: path, origin: "http://127.0.0.1:\(port)"))
        var headers = HTTPHeaders()
        headers.add(name: "Content-Length", value: "\(answer?.body.count ?? 0)")
        if let answer {
            headers.add(name: "Content-Type", value: answer.contentType)
            headers.add(name: "Cache-Control", value: "public, max-age=3600")
        }
        let head = HTTPResponseHead(version: .http1_1, status: answer == nil ? .notFound : .ok, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let answer {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
