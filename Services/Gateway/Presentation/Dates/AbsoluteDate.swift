import Foundation

/// Presents a date in full, beside its age: "March 1, 2026 at 12:00 PM UTC".
public enum AbsoluteDate {
    /// - Parameter date: shown in UTC, because a server does not know the reader's time zone.
    public static func text(_ date: Date, language: Language) -> String {
        let style = Date.FormatStyle(
            date: .long, time: .shortened, locale: language.locale, calendar: .utc, timeZone: .gmt)
        return style.format(date) + " UTC"
    }

    /// The date for programs, as in `<time datetime>`: "2026-03-01T12:00:00Z".
    public static func machineText(_ date: Date) -> String { date.formatted(.iso8601) }
}
