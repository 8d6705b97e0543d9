import Comments
import Foundation
import RPCTestKit
import Testing

@Suite struct FirstPagesTests {
    @Test(arguments: [[], [3], [0, 100, 1]]) func `the pages have the order of the images`(counts: [Int]) {
        let first = pages(of: counts)
        #expect(first.pages.map(\.imageID) == counts.indices.map(UUID.init(number:)))
        #expect(first.pages.map(\.page.items.count) == counts)
        #expect(first.rest == [])
    }

    @Test func `unknown lists are omitted, but not empty ones`() {
        let images = (0...2).map(UUID.init(number:))
        let first = FirstPages(of: images) { image in
            image.number == 1 ? nil : CommentsSlice(items: [], hasMore: false)
        }
        #expect(first.pages.map(\.imageID.number) == [0, 2])
        #expect(first.rest == [])
    }

    @Test func `a page that is not the last has the cursor of the next`() {
        let first = FirstPages(of: [UUID(number: 0), UUID(number: 1)]) { image in
            CommentsSlice(items: [draft(7).comment(now: moment(0))], hasMore: image.number == 1)
        }
        #expect(first.pages.map(\.page.nextAfterID) == [nil, UUID(number: 7)])
    }

    @Test(arguments: [0, 1]) func `an answer with 1,000 comments is full`(missing: Int) {
        let first = pages(of: Array(repeating: 100, count: 9) + [100 - missing, 1, 1])
        #expect(first.pages.count == 10 + missing)
        #expect(first.rest.map(\.number) == Array((10 + missing)...11))
    }

    @Test(arguments: [0, 1]) func `an answer with texts of 1 MiB is full`(missing: Int) {
        let large = String(repeating: "x", count: CommentsPage.maximumBytes - "ana".count - missing)
        let first = FirstPages(of: (0...2).map(UUID.init(number:))) { _ in
            CommentsSlice(items: [draft(1, saying: large).comment(now: moment(0))], hasMore: false)
        }
        #expect(first.pages.count == 1 + missing)
        #expect(first.rest.count == 2 - missing)
    }

    /// Images with these numbers of comments.
    private func pages(of counts: [Int]) -> FirstPages {
        FirstPages(of: counts.indices.map(UUID.init(number:))) { image in
            let items = (0..<counts[image.number]).map { draft($0 + 1).comment(now: moment(0)) }
            return CommentsSlice(items: items, hasMore: false)
        }
    }
}
