import Foundation

/// Dates as upstreams write them: RFC 3339 and its cousins. Foundation's own parser takes what is none: a 30th of February,
/// 25 o'clock, and anything behind the end.
enum UpstreamDate {
    /// - Returns: the whole second; nil for what is no date.
    static func parse(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest), skip("-", &rest),
            let day = number(2, &rest), skip("Tt ", &rest), let hour = number(2, &rest), skip(":", &rest),
            let minute = number(2, &rest), skip(":", &rest), let second = number(2, &rest), skipFraction(&rest),
            let offset = offset(rest), (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let time = hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(days(year, month, day) * 86_400 + time))
    }

    private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func skip(_ allowed: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, allowed.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Only whole seconds are of interest.
    private static func skipFraction(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard skip(".", &rest) else { return true }
        let count = rest.count
        rest = rest.drop(while: isDigit)
        return rest.count < count
    }

    /// In seconds, of `Z`, `+hh:mm`, `+hhmm` or `+hh`.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        if skip("Zz", &rest) { return rest.isEmpty ? 0 : nil }
        let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip("+-", &rest), let hours = number(2, &rest) else { return nil }
        if rest.isEmpty { return hours < 24 ? sign * hours * 3_600 : nil }
        _ = skip(":", &rest)
        guard let minutes = number(2, &rest), rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    /// Since 1970, in a calendar whose years begin in March, so that the leap day is the last of a year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year + 399 : year + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}
