import Foundation
import Testing

@testable import Comments

@Suite struct UpstreamDateTests {
    @Test(arguments: [
        "2026-03-01T12:00:00+0000", "2026-03-01T12:00:00+00:00", "2026-03-01T12:00:00Z", "2026-03-01t12:00:00z",
        "2026-03-01 12:00:00Z", "2026-03-01T12:00:00-0000", "2026-03-01T12:00:00+00", "2026-03-01T14:00:00+02",
        "2026-03-01T17:30:00+0530", "2026-03-01T17:30:00+05:30", "2026-03-01T02:15:00-09:45",
        "2026-03-02T11:59:00+23:59", "2026-02-28T12:01:00-2359", "2026-03-01T12:00:00.0Z", "2026-03-01T12:00:00.9+0000",
        "2026-03-01T12:00:00.123456789012345678901234567890+00:00", "2026-03-01T11:59:60Z",
    ])
    func `an instant has many spellings`(text: String) { #expect(UpstreamDate.parse(text) == moment(0)) }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("1900-03-01T00:00:00Z", -2_203_891_200),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, TimeInterval)])
    func `the calendar is the Gregorian one`(text: String, seconds: TimeInterval) {
        #expect(UpstreamDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    /// Against Foundation, which is right about dates that exist.
    @Test func `days of four centuries are right`() {
        for day in stride(from: 0, to: 146_097, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(UpstreamDate.parse(date.formatted(.iso8601)) == date)
        }
    }

    @Test(arguments: [
        "", "2026", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00Z", "2026-02-29T12:00:00Z",
        "2100-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-00-01T12:00:00Z", "2026-13-01T12:00:00Z",
        "2026-03-00T12:00:00Z", "2026-03-32T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
        "2026-03-01T12:00:61Z", "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00,5Z", "2026-03-01T12:00:00+24:00",
        "2026-03-01T12:00:00+00:60", "2026-03-01T12:00:00+0", "2026-03-01T12:00:00+000", "2026-03-01T12:00:00+00:",
        "2026-03-01T12:00:00+00000", "2026-03-01T12:00:00ZZ", " 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z ",
        "-026-03-01T12:00:00Z", "2026-3-1T12:00:00Z", "２026-03-01T12:00:00Z", "1772366400",
    ])
    func `everything else is none`(text: String) { #expect(UpstreamDate.parse(text) == nil) }
}
