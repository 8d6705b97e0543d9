import EdgeModel
import Foundation

enum StatusPresenter {
    static func text(origin: AnswerOrigin, savedAt: Date?, now: Date, language: Language) -> String? {
        let texts = Texts(language)
        return switch (origin, savedAt) {
        case (.cache, let savedAt?): texts.text(.cachedCopy, orNow: .cachedCopyNow, savedAt, now: now)
        case (.cache, nil): texts[.offline]
        case (_, let savedAt?): texts.text(.updated, orNow: .updatedNow, savedAt, now: now)
        case (_, nil): nil
        }
    }
}
