import Foundation
import JSON
import RPCTestKit
import Testing

struct WireDateTests {
    @Test(
        arguments: [
            ("2026-03-01T10:15:00+0000", 1_772_360_100), ("2026-03-01T10:15:00Z", 1_772_360_100),
            ("2026-03-01t10:15:00z", 1_772_360_100), ("2026-03-01 10:15:00Z", 1_772_360_100),
            ("2026-03-01T10:15:00+00:00", 1_772_360_100), ("2026-03-01T10:15:00-00:00", 1_772_360_100),
            ("2026-03-01T12:15:00+02", 1_772_360_100), ("2026-03-01T12:15:00+0200", 1_772_360_100),
            ("2026-03-01T12:15:00+02:00", 1_772_360_100), ("2026-03-01T04:45:00-0530", 1_772_360_100),
            ("2026-03-02T10:14:00+23:59", 1_772_360_100), ("2026-02-28T10:16:00-23:59", 1_772_360_100),
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
            ("2024-02-29T00:00:00Z", 1_709_164_800), ("1900-03-01T00:00:00Z", -2_203_891_200),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("0000-02-29T00:00:00Z", -62_162_121_600),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
            // A leap second counts as the first second of the next minute, as in POSIX.
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] as [(String, Double)])
    func `a date is read`(text: String, seconds: Double) throws {
        #expect(try RawJSON(text, as: .string).read(as: .date) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        (".5", 0.5), (".50", 0.5), (".000", 0), (".999999", 0.999999), (".123456789", 0.123456789), (".0001", 0.0001),
    ])
    func `a fraction of any length is read`(fraction: String, seconds: Double) throws {
        for offset in ["Z", "+0000", "+00:00", "+00"] {
            let date = try RawJSON("2026-03-01T10:15:00\(fraction)\(offset)", as: .string).read(as: .date)
            #expect(abs(date.timeIntervalSince1970 - 1_772_360_100 - seconds) < 1e-6)
        }
    }

    @Test(
        arguments: [
            "", "2026", "2026-03-01", "10:15:00Z", "2026-03-01T10:15:00", "2026-03-01T10:15Z", "2026-03-01T10:15:00X",
            // Days and times that do not exist.
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-03-00T00:00:00Z",
            "2026-03-32T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T10:60:00Z", "2026-03-01T10:15:61Z",
            // Offsets.
            "2026-03-01T10:15:00+", "2026-03-01T10:15:00+1", "2026-03-01T10:15:00+100", "2026-03-01T10:15:00+01:",
            "2026-03-01T10:15:00+01:0", "2026-03-01T10:15:00+01:000", "2026-03-01T10:15:00+24:00",
            "2026-03-01T10:15:00+00:60", "2026-03-01T10:15:00 0100", "2026-03-01T10:15:00ZZ", "2026-03-01T10:15:00UTC",
            "2026-03-01T10:15:00+01::00", "2026-03-01T10:15:00\u{2212}01:00",
            // Fractions.
            "2026-03-01T10:15:00.Z", "2026-03-01T10:15:00,5Z", "2026-03-01T10:15:00.5", "2026-03-01T10:15:00.5.5Z",
            "2026-03-01T10:15:00.\u{665}Z", "2026-03-01T10:15.5Z",
            // Other spellings.
            " 2026-03-01T10:15:00Z", "2026-03-01T10:15:00Z ", "2026-3-1T10:15:00Z", "26-03-01T10:15:00Z",
            "12026-03-01T10:15:00Z", "-2026-03-01T10:15:00Z", "+2026-03-01T10:15:00Z", "20260301T101500Z",
            "2026/03/01T10:15:00Z", "\u{662}026-03-01T10:15:00Z", "2026-03-01_10:15:00Z", "1772360100",
            "2026-03-01T10:15:00Z\u{301}", "2026-03-01\u{301}T10:15:00Z", "2026-+3-01T10:15:00Z",
            // Dates that could not be written again: in UTC, their year does not have four digits.
            "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01",
        ])
    func `an invalid date is refused`(text: String) throws {
        let json = RawJSON(text, as: .string)
        #expect(throws: JSONError.refused("must be a date like 2026-03-01T10:15:00Z")) { try json.read(as: .date) }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (-0.25, "1969-12-31T23:59:59Z"),
            (0.999, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (253_402_300_799.5, "9999-12-31T23:59:59Z"), (9.3e18, "9999-12-31T23:59:59Z"),
            (-9.3e18, "0000-01-01T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
            (-62_135_596_801, "0000-12-31T23:59:59Z"), (1_772_360_100, "2026-03-01T10:15:00Z"),
            // Years without four digits: clamped to the nearest date that has them.
            (253_402_300_800, "9999-12-31T23:59:59Z"), (-62_167_219_201, "0000-01-01T00:00:00Z"),
            (1e15, "9999-12-31T23:59:59Z"), (-1e15, "0000-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func `a date is written as whole seconds in UTC`(seconds: Double, text: String) {
        #expect(RawJSON(Date(timeIntervalSince1970: seconds), as: .date).description == "\"\(text)\"")
    }

    @Test func `every second of four-digit years survives being written and read`() throws {
        var generator = SeededRandom(seed: 6)
        for _ in 0..<5_000 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -62_167_219_200...253_402_300_799, using: &generator)))
            #expect(try RawJSON(date, as: .date).read(as: .date) == date)
        }
    }

    @Test func `every day of eight centuries follows the one before`() async {
        await apart {
            var expected = (year: 1600, month: 1, day: 1)
            for number in -135_140..<157_054 {
                let text = RawJSON(Date(timeIntervalSince1970: Double(number) * 86_400), as: .date).description
                let fields = text.dropFirst().prefix(10).split(separator: "-").compactMap { Int($0) }
                guard fields == [expected.year, expected.month, expected.day] else {
                    Issue.record("\(text) instead of \(expected)")
                    return
                }
                let isLeap = expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
                let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
                expected.day += 1
                if expected.day > lengths[expected.month - 1] {
                    (expected.month, expected.day) = (expected.month + 1, 1)
                }
                if expected.month > 12 { (expected.year, expected.month) = (expected.year + 1, 1) }
            }
            #expect(expected == (2400, 1, 1))
        }
    }
}
