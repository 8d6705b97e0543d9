import Feed
import FeedContract
import Testing

@testable import feed_service

@Suite struct LoadedFeedTests {
    private let items = [picture(1), picture(2), picture(3)]

    @Test func `a page with a next page has a cursor`() {
        let page = LoadedFeed(items, at: .start, isLast: false, origin: .store)
        #expect(page.nextAfterID == picture(3).id)
        #expect(page.prevBeforeID == picture(1).id)
    }

    @Test(arguments: [FeedCursor.start, .after(picture(9).id)])
    func `the last page has no next one`(cursor: FeedCursor) {
        let page = LoadedFeed(items, at: cursor, isLast: true, origin: .store)
        #expect(page.nextAfterID == nil)
        #expect(page.prevBeforeID == picture(1).id)
    }

    @Test func `a page before a cursor always has a next page`() {
        let page = LoadedFeed(items, at: .before(picture(4).id), isLast: true, origin: .store)
        #expect(page.nextAfterID == picture(3).id)
        #expect(page.prevBeforeID == picture(1).id)
    }

    @Test(arguments: [FeedCursor.start, .after(picture(9).id), .before(picture(9).id)])
    func `an empty page has no cursors`(cursor: FeedCursor) {
        let page = LoadedFeed([], at: cursor, isLast: true, origin: .store)
        #expect(page.nextAfterID == nil)
        #expect(page.prevBeforeID == nil)
    }
}
