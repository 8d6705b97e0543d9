import EdgeModel
import Foundation
import ImageData
import Logging
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import image_data_service

/// The time limit of a fetch.
@Suite(.timeLimit(.minutes(5))) struct FetchTimeTests {
    private static let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(pictureSize)\r\n\r\n"

    /// The limit of the client is much longer: the limit of the fetch applies.
    @Test(arguments: [true, false]) func `a fetch that is too slow times out and is not resumed`(
        moves: Bool
    ) async throws {
        var options = EdgeService.Options()
        options.timeLimit = .seconds(1)
        let bytes = [UInt8](picture(1))
        try await OriginServer.with { _ in
            moves
                ? [.send(Self.head), .drip(bytes, pieces: 1, every: 200)]
                : [.send(Self.head), .send([bytes[0]]), .stall]
        } _: { origin in
            try await EdgeService.with(origin, options) { service async throws in
                let kind = try await service.failure(origin.url)
                #expect(kind == .connectivity)
                // 0 if the time limit expired before the request was sent.
                #expect(origin.history.requests.count <= 1)
                await origin.history.wait { $0.openConnections == 0 }
                #expect(service.isIdle)
            }
        }
    }

    @Test func `slow fetches release their slots`() async throws {
        var options = EdgeService.Options()
        options.timeLimit = .seconds(1)
        try await OriginServer.with { request in
            request.path.hasPrefix("/slow")
                ? [.send(Self.head), .drip([UInt8](picture(1)), pieces: 1, every: 200)] : [.picture(2)]
        } _: { slow in
            try await EdgeService.with(slow, options) { service async throws in
                let loads = (1...FetchQueue.defaultConcurrency).map { number in
                    Task { try await service.failure("\(slow.url)/slow/\(number)") }
                }
                while service.fetches.load.running < FetchQueue.defaultConcurrency { await Task.yield() }
                for load in loads { #expect(try await load.value == .connectivity) }
                #expect(try await service.load(slow.url + "/fast").data.data == picture(2))
            }
        }
    }

    @Test func `the time limit applies to all requests of a fetch together`() async throws {
        let limits = Mutex<[Duration]>([])
        let cut = UpstreamAnswer(
            status: 200, headers: [("ETag", "\"1\"")], body: Data(picture(1).prefix(20)), isComplete: false)
        for (limit, count) in [(Duration.zero, 1), (.seconds(60), ImageDownload.requestLimit)] {
            limits.withLock { $0 = [] }
            let origin = Self.origin(timeLimit: limit) { request in
                limits.withLock { $0.append(request.timeLimit) }
                return cut
            }
            await #expect(throws: ImageOriginError.self) { try await origin.image(at: url(1), storingIn: .nowhere) }
            let found = limits.withLock(\.self)
            #expect(found.count == count && found.first == limit)
            #expect(zip(found, found.dropFirst()).allSatisfy { $0 > $1 })
        }
    }

    @Test func `a timeout counts as a failure of the host`() {
        #expect(ImageOriginError.unreachable("the answer was not complete within 30 s").isConnectivity)
        #expect(ImageOrigin.defaultTimeLimit == .seconds(25))
    }

    private static func origin(
        timeLimit: Duration, _ get: @escaping ImageOrigin.Get
    ) -> ImageOrigin {
        let caches = ImageCaches(
            hot: HotImages(budget: 0),
            cold: ColdImages(cache: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        return ImageOrigin(
            get: get, mapper: ImageDataMapper(), caches: caches, now: { moment(0) }, timeLimit: timeLimit)
    }
}

extension FetchDestination {
    /// A destination that stores nothing.
    static let nowhere = FetchDestination { $0([]) }
}
