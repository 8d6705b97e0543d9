import Comments
import Foundation
import Testing

@Suite struct CommentDraftTests {
    @Test func `a comment is of now unless it says otherwise`() {
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

    @Test func `a repeat says the same`() {
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

    @Test func `a page that more follow ends with its cursor`() {
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: true)).nextAfterID == UUID(number: 2))
    }

    @Test func `the last page, and an empty one, have no cursor`() {
        #expect(CommentsPage(CommentsSlice(items: items, hasMore: false)).nextAfterID == nil)
        #expect(CommentsPage(CommentsSlice(items: [], hasMore: false)).nextAfterID == nil)
    }
}
