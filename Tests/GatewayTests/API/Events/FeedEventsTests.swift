import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

@Suite struct FeedEventsTests {
    /// A feed whose events have the numbers 1 to N as their seq, and which later readers can resume.
    private final class NumberedFeed: Sendable {
        private let state = Mutex((count: 0, watches: 0, wakes: [AsyncStream<Void>.Continuation]()))

        /// The oldest seq from which a reader can resume.
        private let oldest: Int

        init(count: Int = 0, oldest: Int = 0) {
            self.oldest = oldest
            state.withLock { $0.count = count }
        }

        var watches: Int { state.withLock { $0.watches } }

        func publish() {
            let wakes = state.withLock { state in
                state.count += 1
                return state.wakes
            }
            for wake in wakes { wake.yield() }
        }

        var services: FakeServices {
            var services = FakeServices()
            services.watch = { params, items in try await self.watch(params.since, items) }
            return services
        }

        private func watch(_ since: String?, _ items: ItemSink<FeedEvent>) async throws {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
            state.withLock { state in
                state.watches += 1
                state.wakes.append(wake)
            }
            wake.yield()
            var number = since.flatMap { Int($0) }.flatMap { $0 >= oldest ? $0 : nil }
            for await _ in wakes {
                if number == nil {
                    number = state.withLock { $0.count }
                    try await items.send(FeedEvent(seq: "\(number!)", change: .reset))
                }
                while number! < state.withLock({ $0.count }) {
                    number! += 1
                    let item = FeedItem(id: UUID(number: number!), image: "https://example.org/\(number!)")
                    try await items.send(FeedEvent(seq: "\(number!)", change: .published([item])))
                }
            }
        }
    }

    /// A reader of the events.
    private struct Reader {
        let peer: HTTPPeer

        static func connect(_ api: RunningAPI, after lastID: String? = nil) async throws -> Reader {
            let peer = try await api.connect()
            try await peer.request("/v1/feed/events", lastID.map { ["Last-Event-ID: \($0)"] } ?? [])
            let head = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            #expect(String(decoding: head, as: UTF8.self).contains("Content-Type: text/event-stream"))
            return Reader(peer: peer)
        }

        /// The next block of lines that has an event; nil at the end.
        func event() async throws -> String? {
            while let chunk = try await block() {
                if chunk.contains("event:") { return chunk }
            }
            return nil
        }

        /// The next chunk; nil at the end.
        func block() async throws -> String? {
            guard let size = await peer.wire.receiveBytes(upTo: Array("\r\n".utf8)),
                let count = Int(String(decoding: size, as: UTF8.self).trimmingCharacters(in: .newlines), radix: 16),
                count > 0, let bytes = await peer.wire.receiveBytes(count + 2)
            else {
                return nil
            }
            return String(decoding: bytes.dropLast(2), as: UTF8.self)
        }

        func ids(_ count: Int) async throws -> [String] {
            var ids: [String] = []
            while ids.count < count, let event = try await event() {
                let id = event.firstMatch(of: /id: (.*)\n/)?.output.1
                let name = event.firstMatch(of: /event: (.*)\n/)?.output.1
                ids.append("\(name ?? "") \(id ?? "")")
            }
            return ids
        }
    }

    /// Waits until the API knows the current state of the feed: then a new reader misses no event.
    private func ready(_ api: RunningAPI) async throws {
        let reader = try await Reader.connect(api)
        await api.events.wait { _, isKnown in isKnown }
        try await reader.peer.wire.close()
    }

    @Test func `readers see changes with the image URLs of this deployment`() async throws {
        let feed = NumberedFeed()
        try await RunningAPI.with(feed.services) { api in
            try await ready(api)
            let reader = try await Reader.connect(api)
            _ = try await reader.block()
            feed.publish()
            let event = try #require(try await reader.event())
            let id = UUID(number: 1).uuidString
            #expect(
                event == """
                    id: 1
                    event: published
                    data: {"items":[{"id":"\(id)","image":"http://127.0.0.1:\(api.port)/v1/image/\(id)/data"}]}


                    """)
        }
    }

    @Test(arguments: [true, false])
    func `at a wildcard address readers see the host that they have asked`(isLate: Bool) async throws {
        let feed = NumberedFeed()
        try await RunningAPI.with(feed.services, followsHost: true) { api in
            try await ready(api)
            let id = UUID(number: 1).uuidString
            if isLate { feed.publish() }
            for host in ["a.example", "b.example:81"] {
                let peer = try await api.connect()
                try await peer.send(
                    "GET /v1/feed/events HTTP/1.1\r\nHost: \(host)\r\nLast-Event-ID: 0\r\n\r\n")
                _ = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
                let reader = Reader(peer: peer)
                _ = try await reader.block()
                if !isLate, host == "a.example" { feed.publish() }
                let event = try #require(try await reader.event())
                #expect(event.contains(#""image":"http://\#(host)/v1/image/\#(id)/data""#))
            }
        }
    }

    @Test func `the first reader gets the id of the state as soon as it is known`() async throws {
        let feed = NumberedFeed(count: 7)
        try await RunningAPI.with(feed.services) { api in
            let reader = try await Reader.connect(api)
            var blocks = ""
            while !blocks.contains("id: "), let block = try await reader.block() { blocks += block }
            #expect(blocks.contains("id: 7\n\n"))
            try await reader.peer.wire.close()
            feed.publish()
            #expect(try await Reader.connect(api, after: "7").ids(1) == ["published 8"])
        }
    }

    @Test(arguments: [1, 100]) func `any number of readers cost one watch`(count: Int) async throws {
        let feed = NumberedFeed()
        try await RunningAPI.with(feed.services) { api in
            try await ready(api)
            var readers: [Reader] = []
            for _ in 0..<count {
                readers.append(try await Reader.connect(api))
                _ = try await readers.last?.block()
            }
            for _ in 0..<3 { feed.publish() }
            for reader in readers {
                #expect(try await reader.ids(3) == ["published 1", "published 2", "published 3"])
            }
            #expect(feed.watches == 1)
        }
    }

    @Test func `a reader resumes after its last event, from memory or from the feed`() async throws {
        let feed = NumberedFeed(count: 5)
        try await RunningAPI.with(feed.services) { api in
            // The API begins at 5, so the events before come from the feed.
            let older = try await Reader.connect(api, after: "2")
            #expect(try await older.ids(3) == ["published 3", "published 4", "published 5"])
            for _ in 0..<3 { feed.publish() }
            #expect(try await older.ids(3) == ["published 6", "published 7", "published 8"])
            let watches = feed.watches
            let newer = try await Reader.connect(api, after: "6")
            #expect(try await newer.ids(2) == ["published 7", "published 8"])
            #expect(feed.watches == watches)
        }
    }

    @Test func `a reader with an unknown event is told to load the feed again`() async throws {
        let feed = NumberedFeed(count: 5, oldest: 3)
        try await RunningAPI.with(feed.services) { api in
            let reader = try await Reader.connect(api, after: "1")
            #expect(try await reader.ids(1) == ["reset 5"])
            feed.publish()
            #expect(try await reader.ids(1) == ["published 6"])
        }
    }

    /// There is no feed. A reader that was here before waits for the events that it has missed.
    @Test(arguments: [nil, "3"]) func `a reader gets a comment every 5 seconds, also while the feed is down`(
        lastID: String?
    ) async throws {
        let clock = ManualClock()
        let events = FeedEvents(
            PluginRegistry(executor: .timed(by: clock)), try #require(PublicURL("http://127.0.0.1:65535")),
            HTTPLimits(), mostReaders: 1, onEvent: { _ in })
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        var received = texts.makeAsyncIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await events.run() }
            let reader = try events.reader(after: lastID)
            group.addTask { try await reader.send { text.yield(String(buffer: $0)) } }
            #expect(await received.next() == "retry: 2000\n\n")
            #expect(await received.next() == ":\n\n")
            for _ in 1...3 {
                // The other sleep is the pause before the feed is asked again.
                await clock.waitForTimers(2, within: .seconds(5))
                await clock.advance(by: .seconds(5) - .nanoseconds(1))
                await clock.advance(by: .nanoseconds(1), once: 1)
                #expect(await received.next() == ":\n\n")
            }
            text.finish()
            #expect(await received.next() == nil)
            group.cancelAll()
        }
    }

    @Test(arguments: [nil, "3"]) func `an id without an event says that a reader has missed nothing`(
        lastID: String?
    ) async throws {
        let feed = NumberedFeed(count: 5)
        try await RunningAPI.with(feed.services) { api in
            try await ready(api)
            let reader = try await Reader.connect(api, after: lastID)
            if lastID == nil {
                #expect(try await reader.block() == "retry: 2000\nid: 5\n\n")
            } else {
                #expect(try await reader.ids(2) == ["published 4", "published 5"])
                #expect(try await reader.block() == "id: 5\n\n")
            }
        }
    }

    @Test func `a reader is told when events may be missing, and when it has them all again`() async throws {
        let (failure, fail) = AsyncStream.makeStream(of: Void.self)
        let (answer, resume) = AsyncStream.makeStream(of: Void.self)
        let watches = Mutex(0)
        var services = FakeServices()
        services.watch = { params, items in
            guard
                watches.withLock({
                    $0 += 1; return $0
                }) > 1
            else {
                try await items.send(FeedEvent(seq: "0", change: .reset))
                for await _ in failure {}
                throw RPCError(.unavailable, "the store is away")
            }
            guard params.since == "0" else { return try await items.send(FeedEvent(seq: "1", change: .reset)) }
            for await _ in answer {}
            try await items.send(FeedEvent(seq: "1", change: .removed([UUID(number: 1)])))
            await waitForCancellation()
        }
        try await RunningAPI.with(services) { api in
            try await ready(api)
            let reader = try await Reader.connect(api)
            func next() async throws -> String? {
                while let block = try await reader.block() { if block != ":\n\n" { return block } }
                return nil
            }
            #expect(try await next() == "retry: 2000\nid: 0\n\n")
            fail.finish()
            #expect(try await next() == "event: interrupted\ndata: {}\n\n")
            // A reader that comes now must not believe that it has everything.
            let late = try await Reader.connect(api)
            #expect(try await late.block() == "retry: 2000\n\n")
            resume.finish()
            #expect(try await next()?.hasPrefix("id: 1\nevent: removed\n") == true)
            #expect(try await next() == "id: 1\n\n")
        }
    }

    @Test func `one reader more than the limit is told to come back later`() async throws {
        var limits = HTTPLimits()
        limits.eventReaders = 2
        try await RunningAPI.with(NumberedFeed().services, limits: limits) { api in
            let first = try await Reader.connect(api)
            _ = try await Reader.connect(api)
            let reply = try await api.exchange("/v1/feed/events")
            #expect(reply.status == 429 && reply["Retry-After"] != nil)
            try await first.peer.wire.close()
            await api.events.wait { readers, _ in readers == 1 }
            _ = try await Reader.connect(api)
        }
    }

    @Test func `a reader that lags behind the limit is disconnected, and can resume`() async throws {
        let feed = NumberedFeed()
        var limits = HTTPLimits()
        limits.recentEvents = 2
        try await RunningAPI.with(feed.services, limits: limits) { api in
            try await ready(api)
            let slow = try api.events.reader(after: nil)
            var texts: [String] = []
            try await slow.send { text in
                texts.append(String(buffer: text))
                guard texts.count == 1 else { return }
                for _ in 0..<5 { feed.publish() }
                let reader = try api.events.reader(after: "0")
                // Returns when the API has all five events.
                try? await reader.send { if String(buffer: $0).contains("id: 5\n") { throw CancellationError() } }
            }
            #expect(texts.count == 1)
        }
    }

    @Test func `HEAD answers without events`() async throws {
        try await RunningAPI.with(NumberedFeed().services) { api in
            let reply = try await api.exchange("/v1/feed/events", method: "HEAD")
            #expect(reply.status == 200 && reply["Content-Type"] == "text/event-stream")
        }
    }

    @Test func `a stopping server ends the streams`() async throws {
        try await RunningAPI.with(NumberedFeed().services) { api in
            let reader = try await Reader.connect(api)
            _ = try await reader.block()
            api.stop()
            while try await reader.block() != nil {}
            await api.ended()
        }
    }
}
