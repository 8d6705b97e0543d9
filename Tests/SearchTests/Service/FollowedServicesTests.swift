import CommentsContract
import struct CommentsContract.Comment
import Foundation
import RPC
import RPCTestKit
import Search
import Testing

@testable import search_service

/// How search reads the comments of many images, with a scripted comments service.
@Suite struct FollowedServicesTests {
    private let images = (1...3).map(UUID.init(number:))

    @Test(arguments: [1, 2, 3]) func `images without room in an answer are asked for again`(room: Int) async throws {
        let found = try await comments { images in
            let fitting = images.prefix(room)
            return CommentLists(
                lists: fitting.map { CommentList(imageID: $0, items: [comment($0.number)], nextAfterID: nil) },
                rest: fitting.count < images.count ? Array(images[room...]) : nil)
        }
        #expect(found == [images[0]: [1], images[1]: [2], images[2]: [3]])
    }

    @Test func `the later pages of a list are read, and a comment that is on two pages counts once`() async throws {
        let found = try await comments {
            CommentLists(lists: [list($0[0], next: 1)], rest: nil)
        } list: { page in
            switch page.afterID?.number {
            case 1: ListedComments(items: [comment(1), comment(2)], nextAfterID: UUID(number: 2), origin: .store)
            case 2: ListedComments(items: [comment(3)], nextAfterID: nil, origin: .store)
            default: throw RPCError(.internalError, "an unexpected page")
            }
        }
        #expect(found[images[0]] == [1, 2, 3])
    }

    @Test func `the comments of an image that an edge has not seen are unknown, but not those of one without comments`()
        async throws
    {
        let found = try await comments {
            CommentLists(lists: [CommentList(imageID: $0[1], items: [], nextAfterID: nil)], rest: nil)
        }
        #expect(found == [images[0]: nil, images[1]: [], images[2]: nil])
    }

    @Test(arguments: [ErrorKind.notFound, .connectivity, .invalidData, .invalidParams])
    func `comments are unknown when a later page cannot be read`(kind: ErrorKind) async throws {
        let found = try await comments {
            CommentLists(lists: [list($0[0], next: 1), list($0[1])], rest: nil)
        } list: { _ in
            throw RPCError(kind, "no page")
        }
        #expect(found == [images[0]: nil, images[1]: [1], images[2]: nil])
    }

    @Test func `another failure of a later page fails the reading`() async throws {
        let error = await #expect(throws: RPCError.self) {
            try await comments {
                CommentLists(lists: [list($0[0], next: 1)], rest: nil)
            } list: { _ in
                throw RPCError(.dataLoss, "the store is damaged")
            }
        }
        #expect(error?.kind == .dataLoss)
    }

    @Test(arguments: [(0, 1), (1, 2)]) func `no further comments are read when there are enough`(
        missing: Int, images: Int
    ) async throws {
        let message = String(repeating: "x", count: FollowedServices.enoughBytes - "ana".utf8.count - missing)
        let found = try await comments { images in
            let large = Comment(
                id: UUID(number: 1), message: message, createdAt: moment(0), author: .init(username: "ana"))
            return CommentLists(
                lists: images.map { CommentList(imageID: $0, items: [large], nextAfterID: nil) }, rest: nil)
        }
        #expect(found == Dictionary(uniqueKeysWithValues: self.images.prefix(images).map { ($0, [1]) }))
    }

    @Test func `a service that answers for no image is not asked for ever`() async throws {
        let error = await #expect(throws: RPCError.self) {
            try await comments { CommentLists(lists: [], rest: $0) }
        }
        #expect(error?.kind == .invalidData)
    }

    private func comment(_ number: Int) -> Comment {
        Comment(id: UUID(number: number), message: "Lovely!", createdAt: moment(0), author: .init(username: "ana"))
    }

    private func list(_ image: UUID, next: Int? = nil) -> CommentList {
        CommentList(imageID: image, items: [comment(1)], nextAfterID: next.map(UUID.init(number:)))
    }

    /// The numbers of the comments of all images, as the service answers.
    @discardableResult private func comments(
        lists: @escaping @Sendable ([UUID]) -> CommentLists,
        list: @escaping @Sendable (ListComments) throws -> ListedComments = { _ in
            throw RPCError(.internalError, "an unexpected call")
        }
    ) async throws -> [UUID: [Int]?] {
        var table = MethodTable(CommentsContract.contract)
        table.handle(CommentsContract.lists) { params, _ in lists(params.imageIDs) }
        table.handle(CommentsContract.list) { params, _ in try list(params) }
        return try await TestServer.with(table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await FollowedServices(feed: client, comments: client).comments(of: images)
                    .mapValues { $0?.map(\.id.number) }
            }
        }
    }
}
