import Comments
import CommentsContract
import Foundation
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import comments_service

@Suite struct CommentsHandlersTests {
    private let image = UUID(number: 0)

    @Test func `a comment has the service's time in whole seconds and a new id`() async throws {
        try await withClient { client in
            let comment = try await client.call(
                CommentsContract.post, PostComment(imageID: image, message: "Lovely!", username: "ana"))
            let expected = Comment(
                id: UUID(number: 77), message: "Lovely!", createdAt: moment(5), author: .init(username: "ana"))
            #expect(comment == expected)
        }
    }

    @Test func `the caller's id and time are stored`() async throws {
        try await withClient { client in
            let comment = try await client.call(
                CommentsContract.post,
                PostComment(
                    imageID: image, message: "Old.", username: "ana", id: UUID(number: 1), createdAt: moment(-60)))
            #expect(comment.id == UUID(number: 1))
            #expect(comment.createdAt == moment(-60))
        }
    }

    @Test func `a page has at most 100 comments, which is also the default`() async throws {
        try await withClient { client in
            for number in 1...101 {
                _ = try await client.call(
                    CommentsContract.post,
                    PostComment(imageID: image, message: "x", username: "ana", id: UUID(number: number)))
            }
            let page = try await client.call(CommentsContract.list, ListComments(imageID: image))
            #expect(page.items.count == 100)
            #expect(page.nextAfterID == UUID(number: 100))
            let rest = try await client.call(
                CommentsContract.list, ListComments(imageID: image, afterID: page.nextAfterID))
            #expect(rest.items.map(\.id) == [UUID(number: 101)])
            #expect(rest.nextAfterID == nil)
        }
    }

    @Test func `the lists of several images have at most 100 comments each`() async throws {
        try await withClient { client in
            let images = (0...2).map(UUID.init(number:))
            for number in 1...102 {
                let image = images[number == 102 ? 1 : 0]
                _ = try await client.call(
                    CommentsContract.post,
                    PostComment(imageID: image, message: "x", username: "ana", id: UUID(number: number)))
            }
            let answer = try await client.call(CommentsContract.lists, CommentedImages(imageIDs: images))
            #expect(answer.lists.map(\.imageID) == images)
            #expect(answer.lists.map(\.items.count) == [100, 1, 0])
            #expect(answer.lists.map(\.nextAfterID) == [UUID(number: 100), nil, nil])
            #expect(answer.rest == nil)
        }
    }

    @Test func `the lists that have no room in an answer are named`() async throws {
        try await withClient { client in
            let images = (0...11).map(UUID.init(number:))
            for number in 0..<1_200 {
                _ = try await client.call(
                    CommentsContract.post,
                    PostComment(
                        imageID: images[number / 100], message: "x", username: "ana", id: UUID(number: number)))
            }
            let answer = try await client.call(CommentsContract.lists, CommentedImages(imageIDs: images))
            #expect(answer.lists.map(\.imageID) == Array(images[..<10]))
            #expect(answer.rest == Array(images[10...]))
        }
    }

    private func withClient(_ body: (RPCClient) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = SQLiteCommentsStore(try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite"))
            let handlers = CommentsHandlers(
                store: store, broadcast: ChangeBroadcast(store), now: { moment(5.9) }, newID: { UUID(number: 77) })
            try await TestServer.with(handlers.table) { server in
                try await RPCClient.withConnection(to: server.path, as: "test", body)
            }
        }
    }
}
