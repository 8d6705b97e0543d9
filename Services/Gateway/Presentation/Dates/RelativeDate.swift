import Foundation

/// The age of a date in whole units of the largest size that fits: 119 minutes are one hour.
public enum RelativeDate: Equatable, Sendable {
    /// Less than a second ago, or in the future because of a wrong clock.
    case now
    case ago(Int, Unit)

    public enum Unit: CaseIterable, Sendable {
        case second, minute, hour, day, week, month, year
    }

    /// Counts months and years with `calendar`; smaller units have a fixed length.
    public init(_ date: Date, now: Date, calendar: Calendar = .utc) {
        let seconds = now.timeIntervalSince(date)
        guard seconds >= 1 else {
            self = .now
            return
        }
        self = Self.byCalendar(from: date, to: now, calendar) ?? Self.byLength(seconds)
    }

    private static func byCalendar(from date: Date, to now: Date, _ calendar: Calendar) -> RelativeDate? {
        let passed = calendar.dateComponents([.year, .month], from: date, to: now)
        if let years = passed.year, years > 0 { return .ago(years, .year) }
        if let months = passed.month, months > 0 { return .ago(months, .month) }
        return nil
    }

    private static func byLength(_ seconds: TimeInterval) -> RelativeDate {
        let lengths: [(Unit, TimeInterval)] = [(.week, 604_800), (.day, 86_400), (.hour, 3_600), (.minute, 60)]
        let (unit, length) = lengths.first { seconds >= $0.1 } ?? (.second, 1)
        return .ago(Int(seconds / length), unit)
    }
}
