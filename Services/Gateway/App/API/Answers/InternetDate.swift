import Foundation
import JSON

/// Formats dates as in RFC 3339: `2026-03-01T12:00:00Z`.
enum InternetDate {
    /// - Parameter date: written in whole seconds. Foundation's own style uses the Julian calendar before 1582.
    static func text(of date: Date) -> String { String(WireDate.format(date).prefix(lengthWithoutOffset)) + "Z" }

    /// - Returns: nil for any other text.
    static func date(from text: String) -> Date? { WireDate.parse(text) }

    private static let lengthWithoutOffset = "yyyy-MM-ddTHH:mm:ss".count
}
