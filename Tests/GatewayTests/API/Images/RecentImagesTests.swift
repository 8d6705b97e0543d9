import Foundation
import ImageDataContract
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

@Suite struct RecentImagesTests {
    private let id = UUID()
    private let clock = Monotonic()

    private func recent(bytes: Int = 1_000) -> RecentImages {
        var limits = HTTPLimits()
        limits.recentImageBytes = bytes
        return RecentImages(limits, now: clock.now)
    }

    private func image(_ number: UInt8, bytes: Int = 1, _ source: ImageMetadata.Source = .remote) -> HeldImage {
        let metadata = ImageMetadata(
            contentType: "image/png", size: bytes, sha256: "\(number)", source: source, storedAt: noon)
        return HeldImage(
            LoadedImage(data: Bytes(Data(repeating: number, count: bytes)), metadata: metadata), at: "urn:")
    }

    /// The number of the image that is answered when the services have this one.
    private func ask(_ recent: RecentImages, _ id: UUID, having number: UInt8, bytes: Int = 1) async throws -> UInt8? {
        try await recent.image(of: id) { () throws(RPCError) in image(number, bytes: bytes) }.bytes.getInteger(at: 0)
    }

    @Test func `for a second it is answered without asking again`() async throws {
        let recent = recent()
        #expect(try await ask(recent, id, having: 1) == 1)
        clock.advance(.seconds(1) - .nanoseconds(1))
        #expect(try await ask(recent, id, having: 2) == 1)
        clock.advance(.nanoseconds(1))
        #expect(try await ask(recent, id, having: 3) == 3)
    }

    @Test func `another item is asked for`() async throws {
        let recent = recent()
        #expect(try await ask(recent, id, having: 1) == 1)
        #expect(try await ask(recent, UUID(), having: 2) == 2)
    }

    @Test func `nothing was fetched for those who ask later`() async throws {
        let recent = recent()
        let first = try await recent.image(of: id) { () throws(RPCError) in image(1) }
        let second = try await recent.image(of: id) { () throws(RPCError) in image(2) }
        #expect(first.source == .remote && second.source == .hot)
    }

    @Test func `after a change it is asked for again`() async throws {
        let recent = recent()
        #expect(try await ask(recent, id, having: 1) == 1)
        recent.forget()
        #expect(try await ask(recent, id, having: 2) == 2)
    }

    @Test func `what was under way at a change is neither kept nor shared`() async throws {
        let recent = recent()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: HeldImage.self) { group in
            group.addTask {
                try await recent.image(of: id) { () throws(RPCError) in
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

    @Test func `who asks while it comes gets the same, unless it fails`() async throws {
        let recent = recent()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                await failure {
                    try await recent.image(of: id) { () throws(RPCError) in
                        begin.finish()
                        for await _ in gate {}
                        throw RPCError(.connectivity, "the first")
                    }
                }
            }
            for await _ in begun {}
            for _ in 1...10 {
                group.addImmediateTask { await failure { try await ask(recent, id, having: 2) } }
            }
            open.finish()
            for await failure in group { #expect(failure == "the first") }
        }
        // A failure is everybody's who waits, and over then.
        #expect(try await ask(recent, id, having: 3) == 3)
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
    func `one that is over half of what may be held is not held`(bytes: Int, second: UInt8) async throws {
        let recent = recent(bytes: 1_000)
        #expect(try await ask(recent, id, having: 1, bytes: bytes) == 1)
        #expect(try await ask(recent, id, having: 2) == second)
    }

    @Test func `the oldest go when there would be more than may be held`() async throws {
        let recent = recent(bytes: 1_000)
        let ids = (0..<6).map { _ in UUID() }
        for id in ids { _ = try await ask(recent, id, having: 1, bytes: 250) }
        var held: [Bool] = []
        for id in ids { held.append(try await ask(recent, id, having: 2) == 1) }
        // Two generations of two; to ask for the first two makes a new one.
        #expect(held.filter(\.self).count <= 4 && held.last == true && held.first == false)
    }

    @Test func `who is cancelled waits no longer, and the others still do`() async throws {
        let recent = recent()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: HeldImage.self) { group in
            group.addTask {
                try await recent.image(of: id) { () throws(RPCError) in
                    begin.finish()
                    for await _ in gate {}
                    return image(1)
                }
            }
            for await _ in begun {}
            await withTaskGroup(of: ErrorKind?.self) { followers in
                followers.addImmediateTask {
                    do throws(RPCError) {
                        _ = try await recent.image(of: id) { () throws(RPCError) in image(2) }
                        return nil
                    } catch {
                        return error.kind
                    }
                }
                followers.cancelAll()
                for await kind in followers { #expect(kind == .cancelled) }
            }
            open.finish()
            let first = try await group.next()
            #expect(first?.sha256 == "1")
        }
    }
}

/// A clock that a test sets.
private final class Monotonic: Sendable {
    private let time = Mutex(NIODeadline.uptimeNanoseconds(1_000_000_000))

    var now: @Sendable () -> NIODeadline { { self.time.withLock { $0 } } }

    func advance(_ amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
}
