import Foundation
import JSON

/// Dates as other programs write them.
enum ImportDate {
    /// As in the protocol; also with a space in front of the time, without a zone, which counts as UTC, or without a time.
    static func parse(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces).replacing(" ", with: "T", maxReplacements: 1)
        return ["", "Z", "T00:00:00Z"].lazy.compactMap { WireDate.parse(text + $0) }.first
    }

    /// The seconds since 1970, or the milliseconds; a number, or its text.
    static func parse(_ value: JSONValue?) -> Date? {
        guard let number = value?.number?.double ?? value?.text.flatMap({ Double($0) }), number.isFinite else {
            return nil
        }
        return Date(timeIntervalSince1970: abs(number) < firstMilliseconds ? number : number / 1_000)
    }

    /// In seconds it is the year 5138, in milliseconds 1973.
    private static let firstMilliseconds = 1e11

    static let codec = Codec<String>.string.map(
        into: { text throws(JSONError) in
            guard let date = parse(text) else { throw .refused("must be a date like 2026-03-01T10:15:00Z") }
            return date
        }, from: WireDate.format)
}
