import Foundation

/// Formats dates for HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(of date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // Every answer has a date, so it is built in one text.
        var text = days[Int(parts.tm_wday)]
        text.reserveCapacity(length)
        text += ", "
        append(parts.tm_mday, to: &text)
        text += " "
        text += months[Int(parts.tm_mon)]
        text += " "
        append((parts.tm_year + 1_900) / 100, to: &text)
        append((parts.tm_year + 1_900) % 100, to: &text)
        for (separator, part) in [(" ", parts.tm_hour), (":", parts.tm_min), (":", parts.tm_sec)] {
            text += separator
            append(part, to: &text)
        }
        return text + " GMT"
    }

    private static let length = 29

    /// Appends two digits.
    private static func append(_ number: Int32, to text: inout String) {
        for digit in [number / 10, number % 10] {
            text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)))
        }
    }
}
