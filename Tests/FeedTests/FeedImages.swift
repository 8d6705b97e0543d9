import EdgeModel
import Feed
import Foundation
import RPCTestKit

/// An item with a number.
func picture(_ number: Int, _ description: String? = nil, tags: [String] = []) -> FeedImage {
    FeedImage(
        id: UUID(number: number), description: description, location: "Place \(number)",
        image: "https://pictures.example/\(number)", tags: tags)
}

extension FeedStore {
    /// Publishes at `Date.publication`.
    func publish(_ items: [FeedImage]) async throws -> [FeedImage] { try await publish(items, now: .publication) }
}

extension Date {
    /// When the items of the tests are published.
    static let publication = Date(timeIntervalSince1970: 1_772_366_400)
}

extension FeedSlice {
    /// The numbers of the items.
    var numbers: [Int] { items.map(\.number) }
}

extension FeedImage {
    var number: Int { id.number }

    /// The item as a store returns it that got it with `publish(_:)`.
    var published: FeedImage { published(at: .publication) }
}

extension FeedImage {
    /// The assignments of the columns that the versions of a store, or of a cache, have added.
    /// - Parameter version: that of a store; a cache is one version ahead.
    static func storedValues(until version: Int) -> [String] {
        [
            (2, "width = 4000, height = 3000"), (3, "published_at = 1772366400"), (4, #"tags = '["sea"]'"#),
            (5, #"details = '{"alt":"Waves"}'"#),
        ].filter { $0.0 <= version }.map(\.1)
    }

    /// The item with these values.
    func stored(until version: Int) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, image: image, tags: version < 4 ? [] : ["sea"],
            publishedAt: version < 3 ? nil : .publication, hints: version < 2 ? PictureHints() : .sized,
            details: version < 5 ? PictureDetails() : PictureDetails(alt: "Waves"))
    }
}

extension PictureHints {
    static let sized = PictureHints(width: 4_000, height: 3_000)
    static let placed = PictureHints(placeholder: Placeholder(Data([0x21, 1, 2, 3, 4, 5, 6])))
    static let full = sized.completed(by: placed)
}
