import Comments
import Foundation
import RPCTestKit
import Testing

@Suite struct CommentsEndpointTests {
    @Test(arguments: [
        ("https://feed.example", "https://feed.example"), ("https://feed.example/", "https://feed.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[::1]:8080/", "http://[::1]:8080"),
        ("https://feed.example/api", "https://feed.example/api"),
        ("https://feed.example/a/b%20c/", "https://feed.example/a/b%20c"),
    ])
    func `the URL of an image's comments is below the base URL`(base: String, expected: String) throws {
        let endpoint = CommentsEndpoint(base: try #require(URL(string: base)))
        let id = try #require(UUID(uuidString: "7f3d9a60-0c1e-4b5e-9c57-0a3c7b1c2d4e"))
        #expect(
            endpoint.url(of: id).absoluteString
                == "\(expected)/v1/image/7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E/comments")
    }
}

@Suite struct CommentsSliceTests {
    private let list = (1...3).map { draft($0).comment(now: moment(0)) }

    @Test(
        arguments: [
            (nil, 2, [1, 2], true), (nil, 3, [1, 2, 3], false), (1, 1, [2], true), (1, 2, [2, 3], false),
            (3, 2, [], false),
        ] as [(Int?, Int, [Int], Bool)])
    func `a list is sliced at a cursor`(cursor: Int?, limit: Int, expected: [Int], hasMore: Bool) throws {
        let slice = try CommentsSlice(list, limit, after: cursor.map(UUID.init(number:)))
        #expect(slice.numbers == expected)
        #expect(slice.hasMore == hasMore)
    }

    @Test func `an id outside of the list is an invalid cursor`() throws {
        #expect(throws: CommentsStoreError.unknownCursor(UUID(number: 4))) {
            try CommentsSlice(list, 1, after: UUID(number: 4))
        }
        #expect(try CommentsSlice([], 1, after: nil) == CommentsSlice(items: [], hasMore: false))
    }
}
