import Foundation
import ImageData
import ImageDataContract
import Logging
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import image_data_service

@Suite struct ImageDataHandlersTests {
    private let clock = Clock()

    private static let put = PutImage(data: RPC.Bytes(picture(1)))

    @Test func `bytes are stored at the service's time, in whole seconds`() async throws {
        try await withClient { client in
            clock.now = moment(5.9)
            let put = try await client.call(ImageDataContract.put, Self.put)
            let metadata = try await client.call(ImageDataContract.stat, ImageSelection(url: put.url))
            #expect(metadata.storedAt == moment(5))
        }
    }

    @Test(arguments: [(9, 0), (10, 1), (11, 1)]) func `bytes are evicted exactly at the given age`(
        age: TimeInterval, evicted: Int
    ) async throws {
        try await withClient { client in
            clock.now = moment(0)
            _ = try await client.call(ImageDataContract.put, Self.put)
            clock.now = moment(age)
            let answer = try await client.call(ImageDataContract.evict, .olderThan(seconds: 10))
            #expect(answer == EvictedImages(count: evicted, bytes: evicted * pictureSize))
        }
    }

    @Test func `images are inspected off the event loop`() async throws {
        try await withClient { client in
            _ = try await client.call(ImageDataContract.put, Self.put)
        }
        #expect(clock.wasAskedOnLoop == false)
    }

    private func withClient(_ body: (RPCClient) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let caches = ImageCaches(
            hot: HotImages(budget: 0), cold: ColdImages(cache: nil, logger: logger), pinned: InMemoryImageStore())
        let loader = ImageLoader(
            caches: caches, fetches: nil, timeToLive: ImageExpiry.defaultTimeToLive, now: { [clock] in clock.read() })
        let handlers = ImageDataHandlers(
            loader: loader, mapper: ImageDataMapper(), check: nil, onDamage: { _, _ in })
        try await TestServer.with(handlers.table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test", body)
        }
    }

    /// A clock that the test sets, and that records whether the last read was on the event loop.
    private final class Clock: Sendable {
        private let state = Mutex((now: moment(0), onLoop: Bool?.none))

        var now: Date {
            get { state.withLock { $0.now } }
            set { state.withLock { $0.now = newValue } }
        }

        var wasAskedOnLoop: Bool? { state.withLock { $0.onLoop } }

        func read() -> Date {
            let onLoop = LoopExecutor.shared.loop.inEventLoop
            return state.withLock { state in
                state.onLoop = onLoop
                return state.now
            }
        }
    }
}
