import Foundation

extension RelativeDate {
    /// "5 minutes ago", "há 1 dia", "τώρα": the text in a language.
    public func text(in language: Language) -> String {
        switch self {
        case .now: Self.format(Self.reference, as: .second, .named, language)
        case .ago(let count, let unit): Self.format(Self.date(count, unit), as: unit.field, .numeric, language)
        }
    }

    /// The reference date for Foundation, which rounds: the formatted date is exactly `count` units before it. It is a
    /// New Year's Day, late enough that no date falls into the Julian calendar.
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
