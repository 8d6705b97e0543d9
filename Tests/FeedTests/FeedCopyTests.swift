import EdgeModel
import Feed
import Foundation
import RPCTestKit
import ServiceKit
import Testing

@testable import feed_service

/// Copies between every two kinds of stores.
@Suite struct FeedCopyTests {
    typealias Store = FeedStore & CopiedStore<FeedImage>
    typealias Factory = StoreFactory<any Store>

    private static let files = Factory("SQLite") {
        SQLiteFeedStore(try SQLiteFeedStore.opening.open($0 + "/feed.sqlite"))
    }
    private static let kinds = [files] + Factory.inDatabases { PostgresFeedStore(try .database($0)) }

    private func copy(_ source: any Store, to target: any Store) async throws -> StoreProof {
        try await StoreCopy(from: source, to: target).run()
    }

    /// The whole feed.
    private func items(of store: any Store) async throws -> [FeedImage] {
        try await store.slice(1_000, at: .start).items
    }

    @Test(arguments: kinds, kinds) func `a copy has every value of every item`(from: Factory, to: Factory) async throws
    {
        try await from.withStore { source in
            try await to.withStore { target in
                let full = FeedImage(
                    id: UUID(number: 1), description: "à la plage 🏖", location: "Salvador", image: "urn:x:y",
                    tags: ["sea", "sun"], publishedAt: Date(timeIntervalSince1970: 1_000),
                    hints: PictureHints(width: 4_000, height: 3_000, placeholder: nil),
                    details: PictureDetails(alt: "A beach", credit: "Ana", isSensitive: true))
                // Items of the first versions have no date.
                let bare = FeedImage(id: UUID(number: 2), description: nil, location: nil, image: "urn:x:z")
                try await source.add([bare, full])
                #expect(try await copy(source, to: target).count == 2)
                #expect(try await items(of: target) == [full, bare])
                #expect(try await target.count() == 2)
                try await target.checkIntegrity()
            }
        }
    }

    @Test(arguments: kinds, [1, 2, 3] as [UInt64])
    func `after any changes and any interruption a copy is equal`(kind: Factory, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                for _ in 1...12 {
                    for _ in 1...Int.random(in: 1...6, using: &random) {
                        let numbers = (1...Int.random(in: 1...40, using: &random)).map { _ in
                            Int.random(in: 1...400, using: &random)
                        }
                        if Bool.random(using: &random) {
                            _ = try await source.publish(Set(numbers).sorted().map { picture($0) }, now: .publication)
                        } else {
                            _ = try await source.remove(numbers.map { UUID(number: $0) })
                        }
                    }
                    // A copy that ended early.
                    if Bool.random(using: &random) {
                        let first = try await source.entries(after: .min, limit: 30).map(\.entry)
                        if try await target.count() == 0 { try await target.add(first) }
                    }
                    let proof = try await copy(source, to: target)
                    let (copied, wanted) = (try await items(of: target), try await items(of: source))
                    #expect(copied == wanted && proof.count == wanted.count)
                }
                try await target.checkIntegrity()
                let all = try await items(of: target)
                for (index, item) in all.enumerated() {
                    #expect(
                        try await target.slice(1, at: .after(item.id)).items.first == all.dropFirst(index + 1).first)
                }
            }
        }
    }

    @Test(arguments: kinds) func `hints that were added since are copied`(kind: Factory) async throws {
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                _ = try await source.publish([picture(3), picture(2), picture(1)], now: .publication)
                _ = try await copy(source, to: target)
                let sized = picture(2).published.with(PictureHints(width: 40, height: 30, placeholder: nil))
                _ = try await source.publish([sized], now: .publication)
                _ = try await copy(source, to: target)
                #expect(try await items(of: target) == [picture(3).published, sized, picture(1).published])
            }
        }
    }

    @Test(arguments: kinds) func `a feed of others is not overwritten`(kind: Factory) async throws {
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                _ = try await source.publish([picture(1)], now: .publication)
                _ = try await target.publish([picture(2)], now: .publication)
                await #expect(throws: StoreCopyRefusal.foreign) { try await copy(source, to: target) }
                #expect(try await items(of: target) == [picture(2).published])
            }
        }
    }
}
