import EdgeModel
import Foundation
import Testing

@testable import Presentation

struct StatusPresenterTests {
    @Test(arguments: [
        (Language.en, "Updated 5 minutes ago", "The server does not answer: cached copy from 5 minutes ago"),
        (.ptBR, "Atualizado há 5 minutos", "O servidor não responde: cópia salva há 5 minutos"),
        (.el, "Ενημερώθηκε πριν από 5 λεπτά", "Ο διακομιστής δεν απαντά: αντίγραφο που αποθηκεύτηκε πριν από 5 λεπτά"),
        (.es, "Actualizado hace 5 minutos", "El servidor no responde: copia guardada hace 5 minutos"),
    ])
    func `the status has the age of the page and marks a copy`(language: Language, updated: String, cached: String) {
        let savedAt = Moments.ago(5 * Moments.minute)
        #expect(status(.remote, savedAt, language) == updated)
        #expect(status(.store, savedAt, language) == updated)
        #expect(status(.cache, savedAt, language) == cached)
    }

    @Test(arguments: [
        (Language.en, "Updated just now", "The server does not answer: cached copy from just now"),
        (.ptBR, "Atualizado agora mesmo", "O servidor não responde: cópia salva agora mesmo"),
        (.el, "Ενημερώθηκε μόλις τώρα", "Ο διακομιστής δεν απαντά: αντίγραφο που αποθηκεύτηκε μόλις τώρα"),
        (.es, "Actualizado ahora mismo", "El servidor no responde: copia guardada ahora mismo"),
    ])
    func `an age under a second or in the future has a separate text`(
        language: Language, updated: String, cached: String
    ) {
        for savedAt in [Moments.ago(0.999), Moments.now, Moments.ago(-Moments.hour)] {
            #expect(status(.remote, savedAt, language) == updated)
            #expect(status(.cache, savedAt, language) == cached)
        }
    }

    @Test(arguments: Language.allCases)
    func `a copy of unknown age is the answer of a server that was not reached`(language: Language) {
        #expect(status(.cache, nil, language) == Texts(language)[.connectionError])
    }

    @Test(arguments: [AnswerOrigin.store, .remote])
    func `without a time only a copy has a status`(origin: AnswerOrigin) {
        #expect(status(origin, nil, .en) == nil)
    }

    private func status(_ origin: AnswerOrigin, _ savedAt: Date?, _ language: Language) -> String? {
        StatusPresenter.text(origin: origin, savedAt: savedAt, now: Moments.now, language: language)
    }
}
