import Foundation
import JSON

/// Dates as other programs write them.
enum ImportDate {
    /// An instant as a number or its text, or a date as text.
    static func parse(_ value: JSONValue?) -> Date? {
        if let number = value?.number?.double { return instant(number) }
        guard let text = value?.text else { return nil }
        return parse(text) ?? Double(text).flatMap(instant)
    }

    /// A date as in RFC 3339 or ISO 8601, in Exif and in logs. Without a zone it counts as UTC.
    static func parse(_ text: String) -> Date? {
        let form =
            /\s*(\d{4})[-:\/]?(\d\d)[-:\/]?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?\s*(Z|z|UTC|GMT|[+-]\d\d:?\d\d)?\s*/
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        let zone = parts.7.map { $0.first?.isLetter == true ? "Z" : String($0) } ?? "Z"
        return WireDate.parse(
            "\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4 ?? "00"):\(parts.5 ?? "00"):\(parts.6 ?? "00")\(zone)")
    }

    /// Seconds since 1970, or milliseconds.
    private static func instant(_ number: Double) -> Date? {
        guard abs(number) < lastMilliseconds else { return nil }
        return Date(timeIntervalSince1970: abs(number) < firstMilliseconds ? number : number / 1_000)
    }

    /// In seconds it is the year 5138, in milliseconds 1973.
    private static let firstMilliseconds = 1e11

    /// The year 9999.
    private static let lastMilliseconds = 2.5e14

    static let codec = JSONValue.codec.map(
        into: { value throws(JSONError) in
            guard let date = parse(value) else { throw .refused("must be a date like 2026-03-01T10:15:00Z") }
            return date
        }, from: { .string(WireDate.format($0)) })
}
