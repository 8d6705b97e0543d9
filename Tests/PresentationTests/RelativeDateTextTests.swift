import Foundation
import Presentation
import Testing

struct RelativeDateTextTests {
    @Test func `English`() {
        expect(
            .en, now: "now", seconds: "59 seconds ago",
            one: "1 second|1 minute|1 hour|1 day|1 week|1 month|1 year".each { "\($0) ago" },
            two: "2 seconds|2 minutes|2 hours|2 days|2 weeks|2 months|2 years".each { "\($0) ago" })
    }

    @Test func `Brazilian Portuguese`() {
        expect(
            .ptBR, now: "agora", seconds: "há 59 segundos",
            one: "1 segundo|1 minuto|1 hora|1 dia|1 semana|1 mês|1 ano".each { "há \($0)" },
            two: "2 segundos|2 minutos|2 horas|2 dias|2 semanas|2 meses|2 anos".each { "há \($0)" })
    }

    @Test func `Greek`() {
        expect(
            .el, now: "τώρα", seconds: "πριν από 59 δευτερόλεπτα",
            one: "1 δευτερόλεπτο|1 λεπτό|1 ώρα|1 ημέρα|1 εβδομάδα|1 μήνα|1 έτος".each { "πριν από \($0)" },
            two: "2 δευτερόλεπτα|2 λεπτά|2 ώρες|2 ημέρες|2 εβδομάδες|2 μήνες|2 έτη".each { "πριν από \($0)" })
    }

    @Test func `Spanish`() {
        expect(
            .es, now: "ahora", seconds: "hace 59 segundos",
            one: "1 segundo|1 minuto|1 hora|1 día|1 semana|1 mes|1 año".each { "hace \($0)" },
            two: "2 segundos|2 minutos|2 horas|2 días|2 semanas|2 meses|2 años".each { "hace \($0)" })
    }

    @Test(arguments: Language.allCases, RelativeDate.Unit.allCases)
    func `every count is written as it is`(language: Language, unit: RelativeDate.Unit) {
        for count in 1...59 {
            let text = RelativeDate.ago(count, unit).text(in: language)
            #expect(text.split(separator: " ").compactMap { Int($0) } == [count], "\(text)")
        }
    }

    private func expect(
        _ language: Language, now: String, seconds: String, one: [String], two: [String],
        at location: SourceLocation = #_sourceLocation
    ) {
        func texts(_ count: Int) -> [String] {
            RelativeDate.Unit.allCases.map { RelativeDate.ago(count, $0).text(in: language) }
        }
        #expect(RelativeDate.now.text(in: language) == now, sourceLocation: location)
        #expect(RelativeDate.ago(59, .second).text(in: language) == seconds, sourceLocation: location)
        #expect(texts(1) == one, sourceLocation: location)
        #expect(texts(2) == two, sourceLocation: location)
    }
}

extension String {
    fileprivate func each(_ sentence: (Substring) -> String) -> [String] { split(separator: "|").map(sentence) }
}
