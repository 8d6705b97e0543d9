import Foundation

/// Dates around a moment of 2023, from readable texts.
enum Moments {
    static let now = at("2023-11-14T22:13:20Z")

    static func at(_ text: String) -> Date {
        guard let date = try? Date(text, strategy: .iso8601) else { fatalError("not a date: \(text)") }
        return date
    }

    static func ago(_ seconds: TimeInterval) -> Date { now.addingTimeInterval(-seconds) }

    static let minute: TimeInterval = 60
    static let hour = 60 * minute
    static let day = 24 * hour
}
