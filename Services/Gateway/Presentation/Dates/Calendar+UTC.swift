import Foundation

extension Calendar {
    /// The calendar for months and years, independent of the machine's time zone.
    public static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
