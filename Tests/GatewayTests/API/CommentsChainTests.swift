import Comments
import Testing
import Upstream

@testable import gateway

/// What one deployment serves, another one that is its edge can fetch, keep and serve.
@Suite struct CommentsChainTests {
    /// `{"items":[` and `]}`
    private static let brackets = 12

    /// The shortest that the API writes, with the comma after it.
    private static let shortest = #"""
        {"id":"00000000-0000-0000-0000-000000000001","message":"s","created_at":"2026-03-01T12:00:00+0000",
        """#.utf8.count - 1 + #""author":{"username":"a"}},"#.utf8.count

    @Test func `the longest list of comments that is served can be fetched`() {
        #expect(HTTPLimits().commentsBytes + Self.brackets <= UpstreamLimits().bodyBytes)
    }

    @Test func `as many comments as are served can be kept`() {
        #expect(HTTPLimits().commentsBytes / Self.shortest <= KeptLimits().comments)
    }
}
