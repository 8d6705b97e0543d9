import Foundation

extension RelativeDate {
    /// "5 minutes ago", "há 1 dia", "τώρα": in the reader's language.
    public func text(in language: Language) -> String {
        switch self {
        case .now: Self.format(Self.reference, as: .second, .named, language)
        case .ago(let count, let unit): Self.format(Self.date(count, unit), as: unit.field, .numeric, language)
        }
    }

    /// Foundation rounds what it formats, so it gets a date that is exactly `count` units before a New Year's Day, late
    /// enough to count back from without meeting the Julian calendar.
    private static let reference = Date.distantFuture

    private static func date(_ count: Int, _ unit: Unit) -> Date {
        Calendar.utc.date(byAdding: unit.component, value: -count, to: reference) ?? reference
    }

    private static func format(
        _ date: Date, as field: Date.RelativeFormatStyle.Field, _ presentation: Date.RelativeFormatStyle.Presentation,
        _ language: Language
    ) -> String {
        let style = Date.AnchoredRelativeFormatStyle(
            anchor: date, allowedFields: [field], presentation: presentation, unitsStyle: .wide,
            locale: language.locale, calendar: .utc)
        return style.format(reference)
    }
}
