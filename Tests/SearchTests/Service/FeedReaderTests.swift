import CommentsContract
import struct CommentsContract.Comment
import FeedContract
import Foundation
import Logging
import RPC
import RPCTestKit
import Search
import Testing

@testable import search_service

/// How the feed is read in stretches, with scripted services.
@Suite struct FeedReaderTests {
    private static let pageSize = LoadFeed.limits.upperBound

    @Test(arguments: [0, 1, 99, 100, 101, 450]) func `a short feed is one stretch in its order`(count: Int) async throws
    {
        let stretch = try await stretch(of: count)
        #expect(stretch.images.map(\.entry.image.id.number) == Array(0..<count))
        #expect(stretch.isLast)
        #expect(!stretch.isOfEdge)
    }

    @Test(arguments: [(0, true), (1, false)]) func `a stretch ends with the page that makes it full`(
        extra: Int, isLast: Bool
    ) async throws {
        let count = FeedReader.fullCount / Self.pageSize * Self.pageSize
        let stretch = try await stretch(of: count + extra)
        #expect(stretch.images.count == count)
        #expect(stretch.isLast == isLast)
    }

    @Test(arguments: [(0, 1), (1, 2)]) func `a stretch ends with the page whose texts make it full`(
        missing: Int, pages: Int
    ) async throws {
        let title = String(repeating: "x", count: FeedReader.fullBytes - missing)
        let stretch = try await stretch(of: 1_000, message: nil) { $0 == 0 ? title : $0 == Self.pageSize ? "x" : "" }
        #expect(stretch.pages == pages)
        #expect(!stretch.isLast)
    }

    @Test func `a stretch ends soon after the page whose comments make it full`() async throws {
        let message = String(repeating: "x", count: FeedReader.fullBytes / Self.pageSize)
        let stretch = try await stretch(of: 1_000, message: message)
        #expect(stretch.pages <= 1 + FeedReader.pagesUnderWay)
        #expect(!stretch.isLast)
    }

    @Test(arguments: [-1, 0, 1]) func `only the first pages of an edge are read`(extra: Int) async throws {
        let pages = FeedReader.edgePages + extra
        let stretch = try await stretch(of: pages * Self.pageSize, isOfEdge: true)
        #expect(stretch.pages == min(pages, FeedReader.edgePages))
        #expect(stretch.isLast)
        #expect(stretch.isOfEdge)
    }

    @Test func `the comments of indexed images are not read`() async throws {
        let stretch = try await stretch(of: 3, indexed: [1])
        #expect(stretch.images.map(\.isIndexed) == [false, true, false])
        #expect(stretch.images.map(\.entry.comments.count) == [1, 0, 1])
        #expect(stretch.images.map(\.knowsComments) == [true, false, true])
    }

    @Test func `comments of a page that are too many are left for later`() async throws {
        let stretch = try await stretch(of: 3, message: String(repeating: "x", count: FollowedServices.enoughBytes / 2))
        #expect(stretch.images.map(\.knowsComments) == [true, true, false])
    }

    @Test func `without the comments service the images are read all the same`() async throws {
        let stretch = try await stretch(of: 2, commentsFail: true)
        #expect(stretch.images.map(\.knowsComments) == [false, false])
        #expect(stretch.images.allSatisfy { !$0.isIndexed })
    }

    /// The first stretch of a feed of images 0, 1, 2, …
    private func stretch(
        of count: Int, isOfEdge: Bool = false, message: String? = "Lovely!", indexed: Set<Int> = [],
        commentsFail: Bool = false,
        title: @escaping @Sendable (Int) -> String = { "image \($0)" }
    ) async throws -> FeedStretch {
        var feed = MethodTable(FeedContract.contract)
        feed.handle(FeedContract.load) { params, _ in
            let start = params.afterID.map { $0.number + 1 } ?? 0
            let numbers = start..<min(count, start + (params.limit ?? 0))
            let items = numbers.map {
                FeedItem(id: UUID(number: $0), description: title($0), image: "https://example.org/a.jpg")
            }
            return LoadedFeed(
                items: items, nextAfterID: numbers.upperBound == count ? nil : items.last?.id, prevBeforeID: nil,
                origin: isOfEdge ? .remote : .store)
        }
        var comments = MethodTable(CommentsContract.contract)
        comments.handle(CommentsContract.lists) { params, _ in
            if commentsFail { throw RPCError(.unavailable, "no comments") }
            let items = message.map {
                [Comment(id: UUID(), message: $0, createdAt: moment(0), author: .init(username: "ana"))]
            }
            return CommentLists(
                lists: params.imageIDs.map { CommentList(imageID: $0, items: items ?? [], nextAfterID: nil) },
                rest: nil)
        }
        return try await TestServer.with(feed) { feed in
            try await TestServer.with(comments) { comments in
                try await RPCClient.withConnection(to: feed.path, as: "test") { feed in
                    try await RPCClient.withConnection(to: comments.path, as: "test") { comments in
                        let reader = FeedReader(
                            services: FollowedServices(feed: feed, comments: comments), logger: Logger(label: "test")
                        ) { ids in Set(ids.filter { indexed.contains($0.number) }) }
                        return try await reader.stretch(after: nil, pagesBefore: 0)
                    }
                }
            }
        }
    }
}
