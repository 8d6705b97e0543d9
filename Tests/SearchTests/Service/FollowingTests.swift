import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract
import Testing

/// The index follows the real services.
struct FollowingTests {
    @Test("what is published, commented and removed is found and not found at once")
    func live() async throws {
        try await SearchStack.with { stack in
            try await stack.publish(FeedItem(1, "A chick", location: "Porto", tags: ["Bird"]), FeedItem(2, "A tram"))
            try await stack.wait(for: "chi", [UUID(1)])
            try await stack.wait(for: "tag:bird", [UUID(1)])
            try await stack.comment(UUID(2), "Que linda galinha!", by: "José", id: UUID(9))
            try await stack.wait(for: "galinha", [UUID(2)])
            try await stack.wait(for: "from:jose", [UUID(2)])
            let suggestions = try await stack.answer(of: stack.search, SearchContract.suggest, Suggest(prefix: "bi"))
            #expect(suggestions.tags == [Suggestion(text: "Bird", count: 1)])
            try await stack.removeComment(UUID(9))
            try await stack.wait(for: "galinha", [])
            try await stack.remove(UUID(1))
            try await stack.wait(for: "", [UUID(2)])
        }
    }

    @Test("comments that were written before their image is published are found")
    func commentsFirst() async throws {
        try await SearchStack.with { stack in
            try await stack.comment(UUID(1), "galinha")
            try await stack.publish(FeedItem(1, "A chick"))
            try await stack.wait(for: "galinha", [UUID(1)])
            try await stack.remove(UUID(1))
            try await stack.wait(for: "galinha", [])
            try await stack.publish(FeedItem(1, "A chick"))
            try await stack.wait(for: "galinha", [UUID(1)])
        }
    }

    @Test("comments that are too many for one transaction are all found")
    func manyComments() async throws {
        try await SearchStack.with { stack in
            let long = String(repeating: "🐤", count: PostComment.messageLength.upperBound - 10)
            for image in 1...4 {
                // The comments of three images have more bytes than `FollowedServices.enoughBytes`.
                for _ in 0..<50 { try await stack.comment(UUID(image), "galinha \(image) " + long) }
            }
            try await stack.publish(FeedItem(1, "one"), FeedItem(2, "two"), FeedItem(3, "three"), FeedItem(4, "four"))
            try await stack.wait(for: "galinha", (1...4).map { UUID($0) })
        }
    }

    @Test("what changes while search does not run is found after its start", arguments: [false, true])
    func missed(otherServicesRestart: Bool) async throws {
        try await SearchStack.with { stack in
            try await stack.publish(FeedItem(1, "one"), FeedItem(2, "two"))
            try await stack.comment(UUID(1), "galinha", id: UUID(9))
            try await stack.wait(for: "galinha", [UUID(1)])
            await stack.kill("search")
            try await stack.remove(UUID(2))
            try await stack.removeComment(UUID(9))
            try await stack.publish(FeedItem(3, "three"))
            try await stack.comment(UUID(3), "gallina")
            if otherServicesRestart {
                // Their logs of changes are lost.
                for name in ["feed", "comments"] {
                    await stack.kill(name)
                    try await stack.start(name)
                }
            }
            try await stack.start("search")
            try await stack.wait(for: "", [UUID(1), UUID(3)])
            try await stack.wait(for: "galinha", [])
            try await stack.wait(for: "gallina", [UUID(3)])
        }
    }

    @Test("without the comments images are found, and their comments later")
    func commentsAreDown() async throws {
        try await SearchStack.with { stack in
            try await stack.publish(FeedItem(1, "one"))
            try await stack.comment(UUID(1), "galinha")
            try await stack.wait(for: "galinha", [UUID(1)])
            await stack.kill("comments")
            try await stack.publish(FeedItem(2, "two"))
            try await stack.wait(for: "two", [UUID(2)])
            try await eventually {
                let health = try await stack.answer(of: stack.search, ProtocolMethods.health, ServiceSelection())
                return health.checks.contains { $0.name == "comments" && $0.status == .degraded }
            }
            try await stack.start("comments")
            try await stack.comment(UUID(2), "galinha")
            try await stack.wait(for: "galinha", [UUID(1), UUID(2)])
        }
    }

    @Test("an index whose file is deleted is built again")
    func deleted() async throws {
        try await SearchStack.with { stack in
            try await stack.publish(FeedItem(1, "one"))
            try await stack.wait(for: "one", [UUID(1)])
            await stack.kill("search")
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: "\(stack.root)/data/search.sqlite\(end)")
            }
            try await stack.start("search")
            try await stack.wait(for: "one", [UUID(1)])
        }
    }

    @Test("a service that is killed again and again while it builds its index misses and doubles nothing")
    func killedWhileBuilding() async throws {
        try await SearchStack.with { stack in
            await stack.kill("search")
            let numbers = Array(1...2_500)
            for start in stride(from: 0, to: numbers.count, by: 100) {
                let items = numbers[start..<start + 100].map { FeedItem($0, "image w\($0 % 7)") }
                _ = try await stack.feed.client.call(FeedContract.publish, PublishedItems(items: items))
            }
            for number in stride(from: 1, through: 2_500, by: 50) {
                try await stack.comment(UUID(number), "galinha", id: UUID(number + 10_000))
            }
            var random = SeededRandom(seed: 3)
            for round in 0..<6 {
                try await stack.start("search")
                // Somewhere in the walk, which takes longer in each round.
                for _ in 0..<Int.random(in: 0...round * 4, using: &random) { _ = try? await stack.find("w1 ") }
                await stack.kill("search")
                try await stack.remove(UUID(round + 1))
            }
            try await stack.start("search")
            try await eventually { try await stack.find("").count == 2_494 }
            let all = try await stack.find("")
            #expect(Set(all) == Set((7...2_500).map { UUID($0) }))
            try await eventually { try await stack.find("galinha").count == 49 }
        }
    }

    @Test("an answer says until when the index has all changes")
    func currency() async throws {
        try await SearchStack.with { stack in
            try await stack.publish(FeedItem(1, "one"))
            try await eventually {
                let found = try await stack.answer(of: stack.search, SearchContract.items, SearchItems(query: "one"))
                return found.items.count == 1 && found.indexing == nil && found.indexedAt != nil
            }
        }
    }

    @Test("a cursor of another query is refused")
    func cursors() async throws {
        try await SearchStack.with { stack in
            let error = await #expect(throws: RPCError.self) {
                _ = try await stack.answer(
                    of: stack.search, SearchContract.items, SearchItems(query: "one", after: "1.2.3"))
            }
            #expect(error?.kind == .invalidParams)
        }
    }
}
