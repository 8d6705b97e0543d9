import Comments
import Foundation
import RPCTestKit
import ServiceKit
import Testing

@testable import comments_service

/// Copies between every two kinds of stores.
@Suite struct CommentsCopyTests {
    typealias Store = CommentsStore & CopiedStore<ImageComment>
    typealias Factory = StoreFactory<any Store>

    private static let files = Factory("SQLite") {
        SQLiteCommentsStore(try SQLiteCommentsStore.opening.open($0 + "/comments.sqlite"))
    }
    private static let kinds = [files] + Factory.inDatabases { PostgresCommentsStore(try .database($0)) }

    private func copy(_ source: any Store, to target: any Store) async throws -> StoreProof {
        try await StoreCopy(from: source, to: target).run()
    }

    private static let images = 3

    /// The comments of each image, in their order.
    private func lists(of store: any Store) async throws -> [[ImageComment]] {
        var lists: [[ImageComment]] = []
        for image in 0..<Self.images {
            lists.append(try await store.slice(1_000, of: UUID(number: image), after: nil).items)
        }
        return lists
    }

    @Test(arguments: kinds, kinds)
    func `a copy has every comment at its place, also those of the same second`(from: Factory, to: Factory) async throws
    {
        try await from.withStore { source in
            try await to.withStore { target in
                try await source.post([
                    draft(1), draft(2, saying: "Olá\n🏖"), draft(3, on: 1, by: "Ana Silva"),
                    draft(4, at: moment(-1_000)), draft(5, at: moment(-1_000)), draft(6),
                ])
                #expect(try await copy(source, to: target).count == 6)
                let (copied, wanted) = (try await lists(of: target), try await lists(of: source))
                #expect(copied == wanted)
                let images = [UUID(number: 0), UUID(number: 1)]
                #expect(try await target.counts(of: images) == [images[0]: 5, images[1]: 1])
            }
        }
    }

    @Test(arguments: kinds, [1, 2, 3] as [UInt64])
    func `after any changes a copy is equal`(kind: Factory, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                for _ in 1...10 {
                    for _ in 1...Int.random(in: 1...40, using: &random) {
                        let number = Int.random(in: 1...150, using: &random)
                        if Int.random(in: 1...3, using: &random) == 1 {
                            _ = try await source.remove(UUID(number: number))
                        } else {
                            let time =
                                Bool.random(using: &random)
                                ? moment(Double(Int.random(in: -3...0, using: &random))) : nil
                            let comment = draft(number, on: number % Self.images, at: time)
                            _ = try? await source.post(comment, now: moment(1))
                        }
                    }
                    let proof = try await copy(source, to: target)
                    let (copied, wanted) = (try await lists(of: target), try await lists(of: source))
                    #expect(copied == wanted && proof.count == wanted.joined().count)
                }
            }
        }
    }

    @Test(arguments: kinds) func `comments of others are not overwritten`(kind: Factory) async throws {
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                try await source.post([draft(1)])
                try await target.post([draft(2)])
                await #expect(throws: StoreCopyRefusal.foreign) { try await copy(source, to: target) }
                #expect(try await lists(of: target).joined().map(\.id.number) == [2])
            }
        }
    }
}
