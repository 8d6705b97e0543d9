import EdgeModel
import Foundation
import ImageData
import Logging
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import image_data_service

/// The time limit of a fetch. `UpstreamTests` prove that it also applies while bytes arrive.
struct FetchTimeTests {
    private let time = ManualClock()

    /// Its limits are longer, so that the limit of the fetch applies.
    private var options: EdgeService.Options {
        var options = EdgeService.Options()
        options.time = time
        let longer = Duration.seconds(60)
        (options.limits.totalTime, options.limits.firstByteTime, options.limits.stallTime) = (longer, longer, longer)
        return options
    }

    private static let limit = TimeAmount(ImageOrigin.timeLimit)
    private static let beginning: [OriginStep] = [
        .send(Array("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(pictureSize)\r\n\r\n".utf8) + [picture(1)[0]]),
        .stall,
    ]

    @Test func `a fetch that is too slow times out and is not resumed`() async throws {
        try await OriginServer.with { _ in
            Self.beginning
        } _: { origin in
            try await EdgeService.with(origin, options) { service async throws in
                let kind = Task { try await service.failure(origin.url) }
                await origin.history.wait { $0.requests.count == 1 }
                await time.waitForTimer(in: Self.limit)
                await time.advance(by: Self.limit - .nanoseconds(1))
                #expect(service.fetches.load.running == 1)
                await time.advance(by: .nanoseconds(1))
                #expect(try await kind.value == .connectivity)
                await origin.history.wait { $0.openConnections == 0 }
                #expect(origin.history.requests.count == 1 && service.isIdle)
            }
        }
    }

    @Test func `slow fetches release their slots`() async throws {
        try await OriginServer.with { request in
            request.path.hasPrefix("/slow") ? Self.beginning : [.picture(2)]
        } _: { slow in
            try await EdgeService.with(slow, options) { service async throws in
                let count = FetchQueue.defaultConcurrency
                let loads = (1...count).map { number in
                    Task { try await service.failure("\(slow.url)/slow/\(number)") }
                }
                await slow.history.wait { $0.requests.count == count }
                await time.waitForTimer(in: Self.limit, count: count)
                await time.advance(by: Self.limit)
                for load in loads { #expect(try await load.value == .connectivity) }
                async let fast = service.load(slow.url + "/fast")
                let pause = TimeAmount(HostBackoff.pause)
                await time.waitForTimer(in: pause)
                await time.advance(by: pause)
                #expect(try await fast.data.data == picture(2))
            }
        }
    }

    @Test(arguments: [(0, ImageDownload.requestLimit), (13, 2)])
    func `the time limit applies to all requests of a fetch together`(seconds: Int, requests: Int) async throws {
        let limits = Mutex<[Duration]>([])
        let origin = origin { [time] request in
            limits.withLock { $0.append(request.timeLimit) }
            await time.advance(by: .seconds(Int64(seconds)))
            return UpstreamAnswer(
                status: 200, headers: [("ETag", "\"1\"")], body: Data(picture(1).prefix(20)), isComplete: false)
        }
        await #expect(throws: ImageOriginError.self) { try await origin.image(at: url(1), storingIn: .nowhere) }
        #expect(limits.withLock(\.self) == (0..<requests).map { ImageOrigin.timeLimit - .seconds(seconds) * $0 })
    }

    @Test func `a timeout counts as a failure of the host`() {
        #expect(ImageOriginError.unreachable("the answer was not complete within 30 s").isConnectivity)
    }

    private func origin(_ get: @escaping ImageOrigin.Get) -> ImageOrigin {
        let caches = ImageCaches(
            hot: HotImages(budget: 0),
            cold: ColdImages(cache: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        return ImageOrigin(
            get: get, mapper: ImageDataMapper(), caches: caches, now: { moment(0) }, clock: time)
    }
}

extension FetchDestination {
    /// A destination that stores nothing.
    static let nowhere = FetchDestination { $0([]) }
}
