import Foundation
import GRDB
import RPCTestKit
import Search

@testable import search_service

/// An index in a temporary file, with the progress that its owner knows.
final class TestedIndex {
    let index: SearchIndex
    private(set) var progress = IndexProgress()
    private var seq = 0

    private init(_ index: SearchIndex) { self.index = index }

    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (TestedIndex) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let pool = try SearchIndex.opening.open(directory + "/search.sqlite")
            return try await body(TestedIndex(SearchIndex(pool)))
        }
    }

    func apply(_ changes: IndexEvent.Change...) async throws {
        let events = changes.map { change in
            seq += 1
            return IndexEvent(seq: "\(seq)", change: change)
        }
        progress = try await index.apply(events, from: progress)
    }

    /// Publishes images, the first of them topmost, and marks their comments as known.
    func publish(_ images: SearchableImage...) async throws {
        try await apply(.published(images))
        let comments = Dictionary(uniqueKeysWithValues: images.map { ($0.id, [SearchableComment]?.some([])) })
        progress = try await index.write(comments: comments, from: progress)
    }

    func comment(_ image: SearchableImage, _ message: String, by author: String = "ana", id: UUID = UUID()) async throws
    {
        let comment = SearchableComment(id: id, author: author, message: message)
        try await apply(.posted([.init(imageID: image.id, comment: comment)]))
    }

    /// Walks on as the reader of the feed does: it knows which images were indexed before.
    func walk(
        _ images: [(SearchableImage, [SearchableComment]?)], isLast: Bool = true, isWhole: Bool = true
    ) async throws {
        let indexed = try index.known(images.map(\.0.id))
        let walked = images.map { WalkedImage($0.0, comments: $0.1, isIndexed: indexed.contains($0.0.id)) }
        progress = try await index.write(walked, isLast: isLast, isWhole: isWhole, from: progress)
        while progress.walk == .removing { progress = try await index.removeUnfound(from: progress) }
    }

    /// The ids of all results, page by page.
    func find(_ text: String, tags: [String] = [], pages limit: Int = 100) async throws -> [UUID] {
        let query = SearchQuery(text, tags: tags)
        var found: [UUID] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await index.find(query, limit, after: cursor, maximumTotal: 1_000)
            found += page.images.map(\.id)
            cursor = page.hasMore ? page.images.last?.cursor : nil
        } while cursor != nil
        return found
    }
}

extension SearchableImage {
    /// An image with a readable id.
    init(_ number: Int, _ title: String, place: String = "", tags: [String] = [], credit: String = "") {
        self.init(id: UUID(number), title: title, place: place, tags: tags, credit: credit)
    }
}

extension UUID {
    init(_ number: Int) {
        let digits = String(number, radix: 16)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        self = UUID(uuidString: text)!
    }
}
