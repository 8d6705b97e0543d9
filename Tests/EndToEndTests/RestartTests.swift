import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract
import Testing
import Timing

/// Programs that are killed while clients write. Every watcher must see each change once, and search must find what remains.
struct RestartTests {
    private static let programs = ["feed", "comments", "search", "gateway"]

    /// The number of items, and of comments, that are written around each kill.
    private static let writes = 10

    @Test func `while all programs are killed again and again, watchers see each change once and search follows`()
        async throws
    {
        let manifest = try String(contentsOfFile: Program.repository + "/Services/Search/search.json", encoding: .utf8)
        try await Deployment.with(manifests: ["search": manifest]) { deployment in
            var random = SeededRandom(seed: 31)
            let victims = (0..<ModelSeeds.count(usual: 3)).flatMap { _ in Self.programs.shuffled(using: &random) }
            let history = WrittenHistory(count: victims.count * Self.writes)
            var programs = ["search": try await deployment.start("search")]
            for name in Self.programs where name != "search" { programs[name] = try deployment.program(name) }
            defer { for program in programs.values { program.send(SIGKILL) } }
            let sockets = try Dictionary(
                uniqueKeysWithValues: Self.programs.map { ($0, try SocketPath("\(deployment.root)/run/\($0).sock")) })
            func withClient(of name: String, _ body: (RPCClient) async throws -> Void) async throws {
                try await RPCClient.withConnection(to: try #require(sockets[name]), as: "restart-test") {
                    try await body($0)
                }
            }

            // Directly, and through the gateway.
            let (feed, comments) = ([Watched<[Seen]>([]), Watched([])], [Watched<[Seen]>([]), Watched([])])
            try await withThrowingTaskGroup(of: Void.self) { watchers in
                for (name, seen) in zip(["feed", "gateway"], feed) {
                    watchers.addTask {
                        try await withClient(of: name) {
                            try await follow(FeedContract.watch, WatchFeed.init(since:), seen, Seen.init, with: $0)
                        }
                    }
                }
                for (name, seen) in zip(["comments", "gateway"], comments) {
                    watchers.addTask {
                        try await withClient(of: name) {
                            try await follow(
                                CommentsContract.watch, WatchComments.init(since:), seen, Seen.init, with: $0)
                        }
                    }
                }
                for seen in feed + comments { await seen.wait { !$0.isEmpty } }

                try await withClient(of: "feed") { toFeed in
                    try await withClient(of: "comments") { toComments in
                        let written = Watched(0)
                        for (place, name) in victims.enumerated() {
                            let numbers = place * Self.writes..<(place + 1) * Self.writes
                            async let publishing: Void = history.publish(numbers, written, with: toFeed)
                            async let posting: Void = history.post(numbers, written, with: toComments)
                            let moment = 2 * numbers.lowerBound + .random(in: 1...2 * Self.writes, using: &random)
                            await written.wait { $0 >= moment }
                            programs[name]?.send(SIGKILL)
                            #expect(await programs[name]?.ended() == 128 + SIGKILL)
                            programs[name] = try await deployment.start(name)
                            try await publishing
                            try await posting
                        }
                    }
                }
                for seen in feed { await seen.wait { $0.last?.change == history.feed.last } }
                for seen in comments { await seen.wait { $0.last?.change == history.comments.last } }
                watchers.cancelAll()
            }
            for (all, changes) in [(feed, history.feed), (comments, history.comments)] {
                let seen = all.map { $0.withLock(\.self) }
                #expect(seen[0].map(\.change) == [.reset] + changes)
                #expect(seen[0] == seen[1])
            }
            try await withClient(of: "search") { try await checkSearch($0, history) }
        }
    }

    /// Search finds all items and comments that remain, and nothing else.
    private func checkSearch(_ client: RPCClient, _ history: WrittenHistory) async throws {
        func found(_ word: String) async throws -> [UUID] {
            try await client.call(SearchContract.items, SearchItems(query: word)).items.map(\.imageID)
        }
        let last = history.count - 1
        for word in [history.title(last), history.message(last)] {
            try await eventually { try await !found(word).isEmpty }
        }
        for number in 0...last {
            let (item, isListed) = (history.items[number], !history.isRemoved(item: number))
            #expect(try await found(history.title(number)) == (isListed ? [item] : []))
            let isCommented = isListed && !history.isRemoved(comment: number)
            #expect(try await found(history.message(number)) == (isCommented ? [item] : []))
        }
    }

    /// Watches until the task is cancelled. Continues after the last event when the stream breaks.
    private func follow<Params, Event>(
        _ method: StreamMethod<Params, Event>, _ params: (_ since: String?) -> Params, _ seen: Watched<[Seen]>,
        _ read: (Event) -> Seen, with client: RPCClient
    ) async throws {
        try await eventually {
            do {
                try await client.withStream(method, params(seen.withLock(\.last)?.seq ?? "")) { events in
                    for try await event in events { seen.withLock { $0.append(read(event)) } }
                }
            } catch is RPCError {
                // The program was killed.
            }
            return false
        }
    }
}

/// What is written: items with one comment each. Some of both are removed again.
private struct WrittenHistory: Sendable {
    let items: [UUID]
    private let posted: [UUID]

    init(count: Int) {
        items = (0..<count).map { _ in UUID() }
        posted = (0..<count).map { _ in UUID() }
    }

    var count: Int { items.count }

    func title(_ number: Int) -> String { "item\(number)x" }
    func message(_ number: Int) -> String { "said\(number)x" }

    // The next write removes them. The last ones remain.
    func isRemoved(item number: Int) -> Bool { number % 3 == 1 && number + 1 < count }
    func isRemoved(comment number: Int) -> Bool { number % 4 == 1 && number + 1 < count }

    /// The changes of the feed, in the order of the writes.
    var feed: [Seen.Change] {
        items.indices.flatMap { number -> [Seen.Change] in
            (isRemoved(item: number - 1) ? [.removed([items[number - 1]])] : []) + [.added([items[number]])]
        }
    }

    var comments: [Seen.Change] {
        posted.indices.flatMap { number -> [Seen.Change] in
            (isRemoved(comment: number - 1) ? [.removed([posted[number - 1]])] : []) + [.added([posted[number]])]
        }
    }

    /// Publishes items one by one, and removes some.
    /// - Parameter written: counts them.
    func publish(_ numbers: Range<Int>, _ written: Watched<Int>, with client: RPCClient) async throws {
        for number in numbers {
            try await untilAnswered {
                if isRemoved(item: number - 1) {
                    _ = try await client.call(FeedContract.remove, RemovedItems(ids: [items[number - 1]]))
                }
                let item = FeedItem(id: items[number], description: title(number), image: "urn:x:\(number)")
                _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
            }
            written.withLock { $0 += 1 }
        }
    }

    /// Posts a comment for each item, and removes some.
    func post(_ numbers: Range<Int>, _ written: Watched<Int>, with client: RPCClient) async throws {
        for number in numbers {
            try await untilAnswered {
                if isRemoved(comment: number - 1) {
                    _ = try await client.call(CommentsContract.remove, CommentSelection(id: posted[number - 1]))
                }
                let comment = PostComment(
                    imageID: items[number], message: message(number), username: "ana", id: posted[number])
                _ = try await client.call(CommentsContract.post, comment)
            }
            written.withLock { $0 += 1 }
        }
    }

    /// Repeats calls until a service answers: a killed one does not.
    private func untilAnswered(_ calls: () async throws -> Void) async throws {
        try await eventually {
            do {
                try await calls()
                return true
            } catch is RPCError {
                return false
            }
        }
    }
}

/// An event of a watcher.
private struct Seen: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        case added([UUID])
        case removed([UUID])
        case reset
        case other
    }

    let seq: String
    let change: Change

    init(_ event: FeedEvent) {
        seq = event.seq
        change =
            switch event.change {
            case .published(let items): .added(items.map(\.id))
            case .removed(let ids): .removed(ids)
            case .reset: .reset
            case .found, .forgotten: .other
            }
    }

    init(_ event: CommentsEvent) {
        seq = event.seq
        change =
            switch event.change {
            case .posted(let comments): .added(comments.map(\.comment.id))
            case .removed(let ids): .removed(ids)
            case .reset: .reset
            }
    }
}
