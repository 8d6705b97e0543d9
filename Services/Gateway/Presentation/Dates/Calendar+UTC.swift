import Foundation

extension Calendar {
    /// The calendar by which the product counts months and years, wherever the machine stands.
    public static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
