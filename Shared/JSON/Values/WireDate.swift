import FoundationEssentials

/// The JSON format of dates: whole seconds in UTC, `yyyy-MM-dd'T'HH:mm:ssZ`.
package enum WireDate {
    /// The accepted syntax, as far as a regular expression can express it.
    static let pattern =
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$"

    /// The seconds of four-digit years. Dates outside are clamped when written.
    private static let years = days(0, 1, 1) * 86_400...days(10_000, 1, 1) * 86_400 - 1

    package static func format(_ date: Date) -> String { String(decoding: characters(of: date), as: UTF8.self) }

    static func characters(of date: Date) -> [UInt8] {
        // Clamped before the conversion, which would trap.
        let seconds = Int(
            min(max(date.timeIntervalSince1970.rounded(.down), Double(years.lowerBound)), Double(years.upperBound)))
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let (year, month, day) = civil(fromDays: days)
        let time = seconds - days * 86_400
        var characters = Array("0000-00-00T00:00:00Z".utf8)
        func put(_ value: Int, endingAt end: Int) {
            var (value, place) = (value, end)
            while value > 0 {
                characters[place] += UInt8(value % 10)
                (value, place) = (value / 10, place - 1)
            }
        }
        put(year, endingAt: 3)
        put(month, endingAt: 6)
        put(day, endingAt: 9)
        put(time / 3_600, endingAt: 12)
        put(time / 60 % 60, endingAt: 15)
        put(time % 60, endingAt: 18)
        return characters
    }

    /// Parses RFC 3339 and similar formats: offsets `Z`, `+hh:mm`, `+hhmm` or `+hh`, with or without a fraction; nil
    /// for any other text.
    package static func parse(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { parse($0) }
    }

    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        var text = text[...]
        guard
            let year = number(4, from: &text), skip("-", in: &text), let month = number(2, from: &text),
            skip("-", in: &text), let day = number(2, from: &text), skip("Tt ", in: &text),
            let hour = number(2, from: &text), skip(":", in: &text), let minute = number(2, from: &text),
            skip(":", in: &text), let second = number(2, from: &text), let fraction = fraction(from: &text),
            let offset = offset(text),
            (1...12).contains(month), (1...daysIn(month, of: year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let whole = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // An offset can move the date out of the four-digit years.
        guard years.contains(whole) else { return nil }
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    private static func number(_ digits: Int, from text: inout Text) -> Int? {
        let number = WholeNumber.parse(digits: UnsafeBufferPointer(rebasing: text.prefix(digits)))
        guard text.count >= digits, text.first != UInt8(ascii: "-") else { return nil }
        text = text.dropFirst(digits)
        return number
    }

    private static func skip(_ allowed: StaticString, in text: inout Text) -> Bool {
        guard let first = text.first, allowed.withUTF8Buffer({ $0.contains(first) }) else { return false }
        text = text.dropFirst()
        return true
    }

    private static func fraction(from text: inout Text) -> Double? {
        guard skip(".", in: &text) else { return 0 }
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        text = text.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    private static func offset(_ text: Text) -> Int? {
        var rest = text
        if skip("Zz", in: &rest) { return rest.isEmpty ? 0 : nil }
        let isWest = text.first == UInt8(ascii: "-")
        guard skip("+-", in: &rest), let hours = number(2, from: &rest) else { return nil }
        let hasColon = skip(":", in: &rest)
        guard let minutes = rest.isEmpty && !hasColon ? 0 : number(2, from: &rest), rest.isEmpty, hours < 24,
            minutes < 60
        else {
            return nil
        }
        return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }

    // The proleptic Gregorian calendar. Years begin in March, so that the leap day is the last day of a year.

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
