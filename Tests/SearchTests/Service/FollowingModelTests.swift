import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract
import Testing

/// Random publishing, removing, comments and kills: in the end the index neither misses nor doubles an image.
struct FollowingModelTests {
    @Test("search finds what the services have", arguments: 0..<ModelSeeds.count(usual: 3))
    func history(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        try await SearchStack.with { stack in
            var images: Set<UUID> = []
            var comments: [UUID: UUID] = [:]
            var lastID = 0
            for _ in 0..<80 {
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<7:
                    lastID += 1
                    try await stack.publish(FeedItem(lastID, "image w\(lastID % 5)", tags: ["t\(lastID % 3)"]))
                    images.insert(UUID(lastID))
                case 7..<9:
                    guard let image = images.randomElement(using: &random) else { continue }
                    try await stack.remove(image)
                    images.remove(image)
                case 9..<14:
                    // Also on images that are not published any more.
                    lastID += 1
                    let image = UUID(Int.random(in: 1...lastID, using: &random))
                    try await stack.comment(image, "said c\(lastID % 4)", id: UUID(lastID + 1_000_000))
                    comments[UUID(lastID + 1_000_000)] = image
                case 14..<16:
                    guard let comment = comments.keys.randomElement(using: &random) else { continue }
                    try await stack.removeComment(comment)
                    comments[comment] = nil
                case 16:
                    // Removed ones come back to the top.
                    guard lastID > 0 else { continue }
                    let number = Int.random(in: 1...lastID, using: &random)
                    guard !images.contains(UUID(number)) else { continue }
                    try await stack.publish(FeedItem(number, "image w\(number % 5)", tags: ["t\(number % 3)"]))
                    images.insert(UUID(number))
                case 17..<19:
                    await stack.kill("search")
                    try await stack.start("search")
                default:
                    let name = Bool.random(using: &random) ? "feed" : "comments"
                    await stack.kill(name)
                    try await stack.start(name)
                }
            }
            let numbers = Dictionary(uniqueKeysWithValues: (0...lastID).map { (UUID($0), $0) })
            for word in 0..<5 {
                try await stack.wait(for: "w\(word) ", images.filter { numbers[$0, default: 0] % 5 == word })
            }
            for tag in 0..<3 {
                try await stack.wait(for: "tag:t\(tag)", images.filter { numbers[$0, default: 0] % 3 == tag })
            }
            for word in 0..<4 {
                let said = comments.filter { comment, _ in
                    numbers.contains { UUID($1 + 1_000_000) == comment && $1 % 4 == word }
                }
                try await stack.wait(for: "c\(word) ", Array(Set(said.values).intersection(images)))
            }
            let all = try await stack.find("")
            #expect(all.count == images.count)
            #expect(Set(all) == images)
        }
    }
}

extension SearchStack {
    fileprivate func wait(for query: String, _ expected: Set<UUID>) async throws {
        try await wait(for: query, Array(expected))
    }
}
