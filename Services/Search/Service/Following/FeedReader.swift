import Foundation
import Logging
import RPC
import Search

/// Some consecutive pages of the feed, which one transaction of the walk writes.
struct FeedStretch: Sendable {
    /// In feed order, with the comments of those that are new.
    var images: [WalkedImage] = []
    var pages = 0

    /// Whether no images follow.
    var isLast = false

    /// Whether the feed is that of another server, of which only a part is known here.
    var isOfEdge = false
}

/// Reads the feed in stretches, and prepares the entries of the images that are new.
struct FeedReader: Sendable {
    let services: FollowedServices
    let logger: Logger

    /// Those of the ids that are indexed.
    let indexed: @Sendable ([UUID]) async throws -> Set<UUID>

    /// How many pages of an edge's feed are read: an edge asks its upstream for each of them.
    static let edgePages = 10

    /// No page is read after this number of images, or of bytes of texts, without those of the pages that are being prepared. A larger
    /// transaction writes the words and terms that images share less often, but all of it is in memory twice: while it is written, the
    /// next stretch is read.
    static let fullCount = 6_000
    static let fullBytes = 1_048_576

    /// How many pages are prepared at the same time.
    static let pagesUnderWay = 4

    /// - Parameters:
    ///   - id: the last image before the stretch; nil at the top.
    ///   - pagesBefore: how many pages the walk has read before.
    func stretch(after id: UUID?, pagesBefore: Int) async throws -> FeedStretch {
        var (cursor, count, bytes) = (id, 0, 0)
        var (stretch, pages) = (FeedStretch(), [Int: [WalkedImage]]())
        func add(_ page: (place: Int, images: [WalkedImage])) {
            pages[page.place] = page.images
            bytes += page.images.reduce(0) { $1.entry.comments.reduce($0) { $0 + $1.textBytes } }
        }
        try await withThrowingTaskGroup(of: (place: Int, images: [WalkedImage]).self) { group in
            while !stretch.isLast, count < Self.fullCount, bytes < Self.fullBytes {
                let page: FollowedServices.FeedPage
                do throws(RPCError) {
                    page = try await services.page(after: cursor)
                } catch {
                    // The cache of an edge ends here while its upstream does not answer.
                    guard stretch.isOfEdge || id != nil && error.kind == .connectivity else { throw error }
                    stretch.isLast = true
                    stretch.isOfEdge = true
                    break
                }
                if stretch.pages >= Self.pagesUnderWay, let page = try await group.next() { add(page) }
                group.addTask { [place = stretch.pages] in (place, try await prepare(page.images)) }
                cursor = page.images.last?.id ?? cursor
                count += page.images.count
                bytes += page.images.reduce(0) { $0 + $1.textBytes }
                stretch.pages += 1
                stretch.isOfEdge = page.isOfEdge
                stretch.isLast = page.isLast || page.isOfEdge && pagesBefore + stretch.pages >= Self.edgePages
            }
            for try await page in group { add(page) }
        }
        stretch.images = (0..<stretch.pages).flatMap { pages[$0] ?? [] }
        return stretch
    }

    private func prepare(_ images: [SearchableImage]) async throws -> [WalkedImage] {
        let ids = images.map(\.id)
        let indexed = try await indexed(ids)
        let comments = await commentsIfPossible(of: ids.filter { !indexed.contains($0) })
        return images.map {
            WalkedImage($0, comments: comments[$0.id] ?? nil, isIndexed: indexed.contains($0.id))
        }
    }

    /// The comments of new images. Those that are missing are read later: the service does not answer, or they are too many.
    private func commentsIfPossible(of ids: [UUID]) async -> [UUID: [SearchableComment]?] {
        do {
            return try await services.comments(of: ids)
        } catch {
            logger.debug("cannot read comments: \(error)")
            return [:]
        }
    }
}
