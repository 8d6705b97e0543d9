import Foundation

/// Dates as they travel: whole seconds in UTC, `yyyy-MM-dd'T'HH:mm:ss+0000`.
package enum WireDate {
    /// What `parse` understands, as far as a regular expression can say it.
    static let pattern =
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$"

    package static func format(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let (year, month, day) = civil(fromDays: days)
        let time = seconds - days * 86_400
        func padded(_ value: Int, _ digits: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))"
            + "T\(padded(time / 3_600)):\(padded(time / 60 % 60)):\(padded(time % 60))+0000"
    }

    /// Reads RFC 3339 and its cousins: `Z`, `+hh:mm`, `+hhmm` or `+hh`, with or without a fraction; nil when it is none.
    package static func parse(_ text: String) -> Date? {
        var text = Substring(text)
        guard
            let year = number(4, from: &text), skip("-", in: &text), let month = number(2, from: &text),
            skip("-", in: &text), let day = number(2, from: &text), skip("Tt ", in: &text),
            let hour = number(2, from: &text), skip(":", in: &text), let minute = number(2, from: &text),
            skip(":", in: &text), let second = number(2, from: &text), let fraction = fraction(from: &text),
            let offset = offset(text),
            (1...12).contains(month), (1...daysIn(month, of: year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let whole = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // An offset can lead out of the years that `format` has four digits for.
        guard (days(0, 1, 1) * 86_400..<days(10_000, 1, 1) * 86_400).contains(whole) else { return nil }
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    private static func number(_ digits: Int, from text: inout Substring) -> Int? {
        let prefix = text.prefix(digits)
        guard prefix.utf8.count == digits, prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        text = text.dropFirst(digits)
        return Int(prefix)
    }

    private static func skip(_ allowed: String, in text: inout Substring) -> Bool {
        guard let first = text.first, allowed.contains(first) else { return false }
        text = text.dropFirst()
        return true
    }

    private static func fraction(from text: inout Substring) -> Double? {
        guard skip(".", in: &text) else { return 0 }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0." + digits)
    }

    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" || text == "z" { return 0 }
        var rest = text.dropFirst()
        guard let sign = text.first, sign == "+" || sign == "-", let hours = number(2, from: &rest) else { return nil }
        let hasColon = skip(":", in: &rest)
        guard let minutes = rest.isEmpty && !hasColon ? 0 : number(2, from: &rest), rest.isEmpty, hours < 24,
            minutes < 60
        else {
            return nil
        }
        return (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }

    // The proleptic Gregorian calendar by arithmetic: years begin in March, so that the leap day is the last of a year.

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
