import Foundation
import Presentation
import Testing

struct RelativeDateCalendarTests {
    @Test(arguments: [
        ("2023-10-14T22:13:20Z", RelativeDate.ago(4, .week), RelativeDate.ago(1, .month)),
        ("2023-09-14T22:13:20Z", .ago(1, .month), .ago(2, .month)),
        ("2022-12-14T22:13:20Z", .ago(10, .month), .ago(11, .month)),
        ("2022-11-14T22:13:20Z", .ago(11, .month), .ago(1, .year)),
        ("2021-11-14T22:13:20Z", .ago(1, .year), .ago(2, .year)),
        ("2003-11-14T22:13:20Z", .ago(19, .year), .ago(20, .year)),
    ])
    func `months and years begin at the calendar's day and second`(
        limit: String, before: RelativeDate, after: RelativeDate
    ) {
        let limit = Moments.at(limit)
        #expect(RelativeDate(limit.addingTimeInterval(1), now: Moments.now) == before)
        #expect(RelativeDate(limit.addingTimeInterval(0.001), now: Moments.now) == before)
        #expect(RelativeDate(limit, now: Moments.now) == after)
        #expect(RelativeDate(limit.addingTimeInterval(-1), now: Moments.now) == after)
    }

    @Test(arguments: [
        ("2023-02-01T00:00:00Z", "2023-03-01T00:00:00Z", RelativeDate.ago(1, .month)),
        ("2023-01-01T00:00:00Z", "2023-01-29T00:00:00Z", .ago(4, .week)),
        ("2023-01-31T00:00:00Z", "2023-02-28T00:00:00Z", .ago(1, .month)),
        ("2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z", .ago(1, .year)),
    ])
    func `a month is as long as the calendar says`(date: String, now: String, expected: RelativeDate) {
        #expect(RelativeDate(Moments.at(date), now: Moments.at(now)) == expected)
    }

    @Test func `months are counted in UTC by default`() throws {
        var tokyo = Calendar.utc
        tokyo.timeZone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        // In that time zone it is already the first of March, and the month is not complete.
        let (date, now) = (Moments.at("2023-02-28T20:00:00Z"), Moments.at("2023-03-28T20:00:00Z"))
        #expect(RelativeDate(date, now: now) == .ago(1, .month))
        #expect(RelativeDate(date, now: now, calendar: tokyo) == .ago(4, .week))
    }

    @Test func `the oldest date has an age too`() {
        #expect(RelativeDate(.distantPast, now: Moments.now) == .ago(2_022, .year))
        #expect(RelativeDate(.distantPast, now: Moments.now).text(in: .en) == "2,022 years ago")
    }
}
