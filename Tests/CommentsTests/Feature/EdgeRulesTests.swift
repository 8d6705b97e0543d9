import Comments
import Foundation
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

@Suite struct AnswerAgeTests {
    @Test(
        arguments: [
            (nil, 0), ("", 0), ("0", 0), ("1", 1), ("007", 7), ("86400", 86_400), ("-1", 0), ("+1", 0), ("1.5", 0),
            (" 1", 0),
            ("x", 0), ("1, 2", 0), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
            ("2147483649", 2_147_483_648), ("99999999999999999999", 2_147_483_648),
        ] as [(String?, Int)])
    func `an Age header is read in seconds`(header: String?, age: Int) { #expect(AnswerAge.seconds(header) == age) }

    @Test(arguments: [(0, 5), (1, 4), (60, -55)] as [(Int, TimeInterval)])
    func `the age of an answer is subtracted from the current time`(age: Int, saved: TimeInterval) {
        #expect(AnswerAge.savedAt(receivedAt: moment(5.9), age: age) == moment(saved))
    }
}

@Suite struct AnswerValidatorsTests {
    @Test(arguments: [(1_024, true), (1_025, false)])
    func `a validator over the length limit is discarded`(length: Int, isTaken: Bool) {
        let text = String(repeating: "x", count: length)
        #expect(AnswerValidators(etag: text, lastModified: "x").etag == (isTaken ? text : nil))
        #expect(AnswerValidators(etag: "x", lastModified: text).lastModified == (isTaken ? text : nil))
    }

    @Test func `without a header there are no validators`() {
        #expect(AnswerValidators().isEmpty)
        #expect(!AnswerValidators(etag: "x").isEmpty)
        #expect(!AnswerValidators(lastModified: "x").isEmpty)
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
