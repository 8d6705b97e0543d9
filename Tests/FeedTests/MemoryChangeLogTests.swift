import Feed
import ServiceKit
import Testing

@Suite struct MemoryChangeLogTests {
    private func log(of count: Int) -> MemoryChangeLog<FeedChange> {
        let log = MemoryChangeLog<FeedChange>(life: "this")
        for number in 1...max(count, 1) where number <= count { log.record(.published([picture(number)])) }
        return log
    }

    private func mark(_ number: Int) -> ChangeMark { ChangeMark(life: "this", number: number) }

    @Test func `at the end of the log there are no changes`() {
        #expect(log(of: 0).mark == mark(0))
        #expect(log(of: 0).news(after: mark(0)) == nil)
        #expect(log(of: 3).mark == mark(3))
        #expect(log(of: 3).news(after: mark(3)) == nil)
    }

    @Test func `changes are returned one by one, in order`() {
        let log = MemoryChangeLog<FeedChange>(life: "this")
        let changes: [FeedChange] = [
            .published([picture(1), picture(2)]), .removed([picture(2).id]), .published([picture(3)]),
        ]
        for change in changes { log.record(change) }
        var (told, last) = ([ChangeNews<FeedChange>](), mark(0))
        while let news = log.news(after: last) {
            told.append(news)
            last = news.mark
        }
        #expect(told == changes.enumerated().map { ChangeNews(.change($1), mark: mark($0 + 1)) })
    }

    @Test(arguments: [
        nil, ChangeMark(life: "other", number: 2), ChangeMark(life: "this", number: 4),
        ChangeMark(life: "this", number: -1),
        ChangeMark(life: "this", number: .max), ChangeMark(life: "this", number: .min),
    ])
    func `an unknown mark gets a reset, whose mark is the end of the log`(foreign: ChangeMark?) throws {
        let log = log(of: 3)
        let news = try #require(log.news(after: foreign))
        #expect(news == ChangeNews(.reset, mark: mark(3)))
        #expect(log.news(after: news.mark) == nil)
    }

    @Test(arguments: [9_999, 10_000]) func `the log has up to 10,000 changes`(count: Int) {
        let log = log(of: count)
        #expect(log.news(after: mark(0)) == ChangeNews(.change(.published([picture(1)])), mark: mark(1)))
        #expect(log.news(after: mark(count - 1))?.mark == mark(count))
        #expect(log.mark == mark(count))
    }

    @Test func `of 10,001 changes the first is dropped`() {
        let log = log(of: 10_001)
        #expect(log.news(after: mark(0)) == ChangeNews(.reset, mark: mark(10_001)))
        #expect(log.news(after: mark(1)) == ChangeNews(.change(.published([picture(2)])), mark: mark(2)))
    }

    @Test(arguments: [20_000, 25_003]) func `the ring buffer wraps around`(count: Int) {
        let log = log(of: count)
        var (told, last) = ([Int](), mark(count - 10_000))
        while let news = log.news(after: last), case .change(.published(let images)) = news.content {
            told += images.map(\.number)
            last = news.mark
        }
        #expect(told == Array(count - 9_999...count))
        #expect(log.news(after: mark(count - 10_001))?.content == .reset)
    }

    // MARK: Large changes

    /// About a million bytes.
    private let large = FeedChange.published((1...100).map { picture($0, String(repeating: "x", count: 10_000)) })

    @Test func `large changes shorten the log to its byte limit`() {
        let log = MemoryChangeLog<FeedChange>(life: "this")
        for _ in 1...100 { log.record(large) }
        let kept = (0..<100).filter { log.news(after: mark($0))?.content == .change(large) }
        #expect(kept == Array(kept[0]..<100))
        let count = MemoryChangeLog<FeedChange>.maximumBytes / 1_000_000
        #expect((count - 10...count).contains(kept.count))
        // Small changes eventually replace all large ones.
        for number in 1...10_000 { log.record(.published([picture(number)])) }
        #expect(log.news(after: mark(99))?.content == .reset)
        #expect(log.news(after: mark(100))?.content == .change(.published([picture(1)])))
    }

    @Test func `a change over the byte limit stays until the next change`() {
        let log = MemoryChangeLog<FeedChange>(life: "this")
        let huge = FeedChange.published([
            picture(1, String(repeating: "x", count: MemoryChangeLog<FeedChange>.maximumBytes + 1))
        ])
        log.record(huge)
        #expect(log.news(after: mark(0))?.content == .change(huge))
        log.record(.removed([picture(1).id]))
        #expect(log.news(after: mark(0))?.content == .reset)
        #expect(log.news(after: mark(1))?.content == .change(.removed([picture(1).id])))
    }
}
