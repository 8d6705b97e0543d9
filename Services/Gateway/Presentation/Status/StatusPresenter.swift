import EdgeModel
import Foundation

/// Presents the age and the origin of a page: "Updated 5 minutes ago", "The server does not answer: cached copy from 2 hours ago".
/// The presenters of pages and comments use it. Whether the reader is offline is for the reader's browser to say.
enum StatusPresenter {
    static func text(origin: AnswerOrigin, savedAt: Date?, now: Date, language: Language) -> String? {
        let texts = Texts(language)
        return switch (origin, savedAt) {
        case (.cache, let savedAt?): texts.text(.cachedCopy, orNow: .cachedCopyNow, savedAt, now: now)
        case (.cache, nil): texts[.connectionError]
        case (_, let savedAt?): texts.text(.updated, orNow: .updatedNow, savedAt, now: now)
        case (_, nil): nil
        }
    }
}
