import Foundation
import ImageDataContract
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

@Suite struct RecentImagesTests {
    private let id = WantedPicture(id: UUID())
    private let clock = ManualClock()

    private func withRecent(
        bytes: Int = 1_000, _ body: (RecentImages) async throws -> Void
    ) async throws {
        var limits = HTTPLimits()
        limits.recentImageBytes = bytes
        let recent = RecentImages(limits, clock)
        // Cancelled at the end of this scope.
        async let _: Void = recent.run()
        try await body(recent)
    }

    private func image(_ number: UInt8, bytes: Int = 1, _ source: ImageMetadata.Source = .remote) -> HeldImage {
        let metadata = ImageMetadata(
            contentType: "image/png", size: bytes, sha256: "\(number)", source: source, storedAt: noon)
        return HeldImage(
            LoadedImage(data: Bytes(Data(repeating: number, count: bytes)), metadata: metadata))
    }

    /// Requests an image while the services have the given one, and returns the number of the answer.
    private func ask(_ recent: RecentImages, _ id: WantedPicture, having number: UInt8, bytes: Int = 1) async throws
        -> UInt8?
    {
        try await recent.value(of: id) { () throws(RPCError) in image(number, bytes: bytes) }.bytes.getInteger(at: 0)
    }

    @Test func `an image is served for a second without another load`() async throws {
        try await withRecent { recent async throws in
            #expect(try await ask(recent, id, having: 1) == 1)
            await clock.advance(by: .milliseconds(750) - .nanoseconds(1))
            #expect(try await ask(recent, id, having: 2) == 1)
            await clock.advance(by: .milliseconds(250) + .nanoseconds(1))
            #expect(try await ask(recent, id, having: 3) == 3)
        }
    }

    @Test func `an image that is requested continuously is renewed once before it expires`() async throws {
        try await withRecent { recent async throws in
            let (renewals, renewed) = AsyncStream.makeStream(of: Void.self)
            let ask = { number in
                try await recent.value(of: id) { () throws(RPCError) in
                    renewed.yield()
                    return image(number)
                }.bytes.getInteger(at: 0, as: UInt8.self)
            }
            var loaded = renewals.makeAsyncIterator()
            #expect(try await ask(1) == 1)
            await loaded.next()
            await clock.advance(by: .milliseconds(750))
            for _ in 1...3 { #expect(try await ask(2) == 1) }
            await loaded.next()
            await recent.wait(for: id) { $0 == 0 }
            await clock.advance(by: .milliseconds(749))
            #expect(try await ask(3) == 2)
            // The lifetime of the renewed image began at 750 ms, so it expires at 1,750 ms.
            await clock.advance(by: .milliseconds(251))
            #expect(try await ask(4) == 4)
        }
    }

    @Test func `evicting old images leaves renewed ones`() async throws {
        try await withRecent { recent async throws in
            let (renewals, renewed) = AsyncStream.makeStream(of: Void.self)
            var renewal = renewals.makeAsyncIterator()
            let other = WantedPicture(id: UUID())
            for id in [id, other] { _ = try await ask(recent, id, having: 1) }
            await clock.advance(by: .milliseconds(750))
            for id in [id, other] {
                let first = try await recent.value(of: id) { () throws(RPCError) in
                    renewed.yield()
                    return image(2)
                }
                #expect(first.sha256 == "1")
                await renewal.next()
                await recent.wait(for: id) { $0 == 0 }
                #expect(try await ask(recent, id, having: 3) == 2)
            }
            await clock.advance(by: .milliseconds(250))
            #expect(!recent.evictOld())
            // Half a second later the first image is renewed; the lifetime of the second is unchanged.
            await clock.advance(by: .milliseconds(500))
            _ = try await ask(recent, WantedPicture(id: UUID()), having: 3)
            #expect(try await ask(recent, other, having: 3) == 2)
        }
    }

    @Test func `a failed renewal is not reported until the image has expired`() async throws {
        try await withRecent { recent async throws in
            let (failures, failed) = AsyncStream.makeStream(of: Void.self)
            let fail = { @Sendable () async throws(RPCError) -> HeldImage in
                failed.yield()
                throw RPCError(.connectivity, "gone")
            }
            #expect(try await ask(recent, id, having: 1) == 1)
            await clock.advance(by: .milliseconds(999))
            #expect(try await recent.value(of: id, fail).sha256 == "1")
            for await _ in failures { break }
            await recent.wait(for: id) { $0 == 0 }
            #expect(try await recent.value(of: id, fail).sha256 == "1")
            await clock.advance(by: .milliseconds(1))
            let error = await #expect(throws: RPCError.self) { try await recent.value(of: id, fail) }
            #expect(error?.kind == .connectivity)
        }
    }

    @Test func `different items are loaded separately`() async throws {
        try await withRecent { recent async throws in
            #expect(try await ask(recent, id, having: 1) == 1)
            #expect(try await ask(recent, WantedPicture(id: UUID()), having: 2) == 2)
        }
    }

    @Test func `later answers do not count as fetched`() async throws {
        try await withRecent { recent async throws in
            let first = try await recent.value(of: id) { () throws(RPCError) in image(1) }
            let second = try await recent.value(of: id) { () throws(RPCError) in image(2) }
            #expect(first.source == .remote && second.source == .hot)
        }
    }

    @Test func `an image that took longer than its lifetime to load is not cached`() async throws {
        try await withRecent { recent async throws in
            let slow = try await recent.value(of: id) { () throws(RPCError) in
                await clock.advance(by: .seconds(1))
                return image(1)
            }
            #expect(slow.sha256 == "1" && recent.count == 0)
        }
    }

    @Test func `without requests the cache becomes empty`() async throws {
        try await withRecent { recent async throws in
            #expect(try await ask(recent, id, having: 1) == 1)
            // The image is in the newer generation, then in the older one.
            for _ in 1...2 { await clock.advance(by: .seconds(1), once: 1) }
            await recent.waitUntilEmpty()
            #expect(try await ask(recent, id, having: 2) == 2)
        }
    }

    @Test(
        arguments: [
            ("feed.remove", true), ("feed.publish", true), ("feed.validate", true), ("image-data.put", true),
            ("image-data.evict", true), ("feed.load", false), ("image-data.load", false), ("comments.post", false),
        ])
    func `a change through the gateway clears the cache`(method: String, isChange: Bool) async throws {
        let gateway = Gateway(PluginRegistry(executor: .timed(by: clock)))
        let (recent, identity) = (gateway.pictures.recent, ServiceIdentity(name: "gateway", version: "1"))
        async let _: Void = gateway.run()
        #expect(try await ask(recent, id, having: 1) == 1)
        try await TestServer.with(GatewayHandlers(gateway: gateway, identity: identity).table) {
            server async throws -> Void in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                // Without services the call fails; whether it had an effect is then unknown.
                _ = await #expect(throws: RPCError.self) { try await client.call(method, .emptyObject) }
            }
        }
        #expect(try await ask(recent, id, having: 2) == (isChange ? 2 : 1))
    }

    @Test func `after a change the image is loaded again`() async throws {
        try await withRecent { recent async throws in
            #expect(try await ask(recent, id, having: 1) == 1)
            recent.forget()
            #expect(try await ask(recent, id, having: 2) == 2)
        }
    }

    @Test func `a load in progress during a change is neither cached nor shared`() async throws {
        try await withRecent { recent async throws in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: HeldImage.self) { group in
                group.addTask {
                    try await recent.value(of: id) { () throws(RPCError) in
                        begin.finish()
                        for await _ in gate {}
                        return image(1)
                    }
                }
                for await _ in begun {}
                recent.forget()
                #expect(try await ask(recent, id, having: 2) == 2)
                open.finish()
                let first = try await group.next()
                #expect(first?.sha256 == "1")
            }
            #expect(try await ask(recent, id, having: 3) == 2)
        }
    }

    @Test func `concurrent requests share a failed load, and later requests load again`() async throws {
        try await withRecent { recent async throws in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            await withTaskGroup(of: String?.self) { group in
                group.addTask {
                    await failure {
                        try await recent.value(of: id) { () throws(RPCError) in
                            begin.finish()
                            for await _ in gate {}
                            throw RPCError(.connectivity, "the first")
                        }
                    }
                }
                for await _ in begun {}
                for _ in 1...10 {
                    group.addTask { await failure { try await ask(recent, id, having: 2) } }
                }
                await recent.wait(for: id) { $0 == 11 }
                open.finish()
                for await failure in group { #expect(failure == "the first") }
            }
            // All waiting callers get the failure; later ones load again.
            #expect(try await ask(recent, id, having: 3) == 3)
        }
    }

    private func failure<Result>(_ body: () async throws -> Result) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? RPCError)?.message
        }
    }

    @Test(arguments: [(500, 1), (501, 2)])
    func `an image larger than half of the limit is not cached`(bytes: Int, second: UInt8) async throws {
        try await withRecent(bytes: 1_000) { recent async throws in
            #expect(try await ask(recent, id, having: 1, bytes: bytes) == 1)
            #expect(try await ask(recent, id, having: 2) == second)
        }
    }

    @Test func `over the limit the oldest images are evicted`() async throws {
        try await withRecent(bytes: 1_000) { recent async throws in
            let ids = (0..<6).map { _ in WantedPicture(id: UUID()) }
            for id in ids { _ = try await ask(recent, id, having: 1, bytes: 250) }
            var held: [Bool] = []
            for id in ids { held.append(try await ask(recent, id, having: 2) == 1) }
            // Two generations with two images each; a load of the first two images begins a new generation.
            #expect(held.filter(\.self).count <= 4 && held.last == true && held.first == false)
        }
    }

    @Test func `the first caller can cancel without affecting the others`() async throws {
        try await withRecent { recent async throws in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                try await recent.value(of: id) { () throws(RPCError) in
                    begin.finish()
                    for await _ in gate {}
                    return image(1)
                }
            }
            for await _ in begun {}
            async let second = recent.value(of: id) { () throws(RPCError) in image(2) }
            await recent.wait(for: id) { $0 == 2 }
            first.cancel()
            let error = await #expect(throws: RPCError.self) { try await first.value }
            #expect(error?.kind == .cancelled)
            open.finish()
            #expect(try await second.sha256 == "1")
        }
    }
}
