import Comments
import EdgeKit
import Testing
import Upstream

@testable import gateway

/// A list that one deployment serves can be fetched, cached and served by an edge of it.
@Suite struct CommentsChainTests {
    /// `{"items":[` and `]}`
    private static let brackets = 12

    /// The shortest comment that the API writes, with the comma after it.
    private static let shortest = #"""
        {"id":"00000000-0000-0000-0000-000000000001","message":"s","created_at":"2026-03-01T12:00:00Z",
        """#.utf8.count - 1 + #""author":{"username":"a"}},"#.utf8.count

    @Test func `an edge can fetch the longest list of comments`() {
        #expect(HTTPLimits().commentsBytes + Self.brackets <= UpstreamLimits().bodyBytes)
    }

    @Test func `an edge can cache the largest number of comments`() {
        #expect(HTTPLimits().commentsBytes / Self.shortest <= CommentsCacheLimits().comments)
    }
}
