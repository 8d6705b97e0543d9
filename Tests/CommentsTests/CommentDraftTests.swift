import Comments
import Foundation
import RPCTestKit
import Testing

@Suite struct CommentDraftTests {
    @Test func `a comment without a time has the current time`() {
        #expect(draft(1).comment(now: moment(5)).createdAt == moment(5))
        #expect(draft(1, at: moment(2)).comment(now: moment(5)).createdAt == moment(2))
    }

    @Test(arguments: [(0, 0), (0.001, 0), (0.999, 0), (1, 1)] as [(TimeInterval, TimeInterval)])
    func `times are whole seconds`(time: TimeInterval, expected: TimeInterval) {
        #expect(draft(1).comment(now: moment(time)).createdAt == moment(expected))
        #expect(draft(1, at: moment(time)).comment(now: moment(60)).createdAt == moment(expected))
    }

    @Test func `times before 1970 are rounded down too`() {
        let draft = draft(1, at: Date(timeIntervalSince1970: -0.5))
        #expect(draft.comment(now: moment(0)).createdAt == Date(timeIntervalSince1970: -1))
    }

    @Test func `a repeated draft has the same content`() {
        let comment = draft(1).comment(now: moment(0))
        #expect(draft(1).isRepeat(of: comment))
        #expect(draft(1, at: moment(0.5)).isRepeat(of: comment))
        #expect(!draft(1, at: moment(1)).isRepeat(of: comment))
        #expect(!draft(2).isRepeat(of: comment))
        #expect(!draft(1, saying: "lovely!").isRepeat(of: comment))
    }
}

@Suite struct CommentsPageTests {
    private let items = [1, 2].map { draft($0).comment(now: moment(0)) }

    @Test func `a page with a next page has a cursor`() {
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: true)).nextAfterID == UUID(number: 2))
    }

    @Test(arguments: [0, 1]) func `the size of a page is limited`(excess: Int) {
        let half = String(repeating: "x", count: CommentsPage.maximumBytes / 2 - 3)
        let items = [half, half + String(repeating: "x", count: excess), ""].enumerated().map {
            draft($0, saying: $1, by: "ana").comment(now: moment(0))
        }
        let page = CommentsPage(CommentsSlice(items: Array(items.prefix(2)), hasMore: false))
        #expect(page.items.count == 2 - excess && page.nextAfterID == (excess == 0 ? nil : UUID(number: 0)))
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: true)).items.count == 2 - excess)
    }

    @Test func `a comment that is larger than a page is a page of its own`() {
        let large = String(repeating: "x", count: 2 * CommentsPage.maximumBytes)
        let items = (1...2).map { draft($0, saying: large).comment(now: moment(0)) }
        let page = CommentsPage(CommentsSlice(items: items, hasMore: false))
        #expect(page.items.map(\.id) == [UUID(number: 1)] && page.nextAfterID == UUID(number: 1))
    }

    @Test func `a page of comments with the maximum length is complete`() {
        let (message, name) = (String(repeating: "🏖", count: 2_000), String(repeating: "🏖", count: 64))
        let items = (1...100).map { draft($0, saying: message, by: name).comment(now: moment(0)) }
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: false)).items.count == 100)
    }

    @Test func `the last page, and an empty one, have no cursor`() {
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: false)).nextAfterID == nil)
        #expect(CommentsPage(CommentsSlice(items: [], hasMore: false)).nextAfterID == nil)
    }
}
