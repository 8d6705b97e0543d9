import Foundation
import Presentation
import Testing

struct RelativeDateLimitTextTests {
    /// An age in seconds, and the texts of each language one second before, at and after it.
    static let limits: [(TimeInterval, Language, [String])] = [
        (Moments.minute, .en, ["59 seconds ago", "1 minute ago", "1 minute ago"]),
        (Moments.minute, .ptBR, ["há 59 segundos", "há 1 minuto", "há 1 minuto"]),
        (Moments.minute, .el, ["πριν από 59 δευτερόλεπτα", "πριν από 1 λεπτό", "πριν από 1 λεπτό"]),
        (Moments.minute, .es, ["hace 59 segundos", "hace 1 minuto", "hace 1 minuto"]),
        (Moments.hour, .en, ["59 minutes ago", "1 hour ago", "1 hour ago"]),
        (Moments.hour, .ptBR, ["há 59 minutos", "há 1 hora", "há 1 hora"]),
        (Moments.hour, .el, ["πριν από 59 λεπτά", "πριν από 1 ώρα", "πριν από 1 ώρα"]),
        (Moments.hour, .es, ["hace 59 minutos", "hace 1 hora", "hace 1 hora"]),
        (Moments.day, .en, ["23 hours ago", "1 day ago", "1 day ago"]),
        (Moments.day, .ptBR, ["há 23 horas", "há 1 dia", "há 1 dia"]),
        (Moments.day, .el, ["πριν από 23 ώρες", "πριν από 1 ημέρα", "πριν από 1 ημέρα"]),
        (Moments.day, .es, ["hace 23 horas", "hace 1 día", "hace 1 día"]),
        (7 * Moments.day, .en, ["6 days ago", "1 week ago", "1 week ago"]),
        (7 * Moments.day, .ptBR, ["há 6 dias", "há 1 semana", "há 1 semana"]),
        (7 * Moments.day, .el, ["πριν από 6 ημέρες", "πριν από 1 εβδομάδα", "πριν από 1 εβδομάδα"]),
        (7 * Moments.day, .es, ["hace 6 días", "hace 1 semana", "hace 1 semana"]),
        (31 * Moments.day, .en, ["4 weeks ago", "1 month ago", "1 month ago"]),
        (31 * Moments.day, .ptBR, ["há 4 semanas", "há 1 mês", "há 1 mês"]),
        (31 * Moments.day, .el, ["πριν από 4 εβδομάδες", "πριν από 1 μήνα", "πριν από 1 μήνα"]),
        (31 * Moments.day, .es, ["hace 4 semanas", "hace 1 mes", "hace 1 mes"]),
        (365 * Moments.day, .en, ["11 months ago", "1 year ago", "1 year ago"]),
        (365 * Moments.day, .ptBR, ["há 11 meses", "há 1 ano", "há 1 ano"]),
        (365 * Moments.day, .el, ["πριν από 11 μήνες", "πριν από 1 έτος", "πριν από 1 έτος"]),
        (365 * Moments.day, .es, ["hace 11 meses", "hace 1 año", "hace 1 año"]),
    ]

    @Test(arguments: limits)
    func `around a limit the text has the largest complete unit`(
        limit: TimeInterval, language: Language, expected: [String]
    ) {
        let texts = [limit - 1, limit, limit + 1].map {
            RelativeDate(Moments.ago($0), now: Moments.now).text(in: language)
        }
        #expect(texts == expected)
    }
}
