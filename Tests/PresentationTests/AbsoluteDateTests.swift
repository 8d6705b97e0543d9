import Foundation
import Presentation
import Testing

struct AbsoluteDateTests {
    private let noon = Date(timeIntervalSince1970: 1_772_366_400)

    @Test(arguments: [
        (Language.en, "March 1, 2026"), (.ptBR, "1 de março de 2026"), (.el, "1 Μαρτίου 2026"),
        (.es, "1 de marzo de 2026"),
    ])
    func `a date is in full, in the reader's language and in UTC`(language: Language, day: String) {
        let text = AbsoluteDate.text(noon, language: language)
        #expect(text.hasPrefix(day) && text.contains("12:00") && text.hasSuffix("UTC"), "\(text)")
    }

    @Test func `programs read the date in ISO 8601`() {
        #expect(AbsoluteDate.machineText(noon) == "2026-03-01T12:00:00Z")
    }
}
