import Presentation
import RPC

extension Importer.Refusal {
    /// The reason in one language only: in English the most precise one, otherwise the text of its cause.
    func reason(in language: Language) -> String {
        guard language != .en else { return reason }
        let texts = Texts(language)
        switch cause {
        case .post: return texts[.importRefusedPost]
        case .twice: return texts[.importRefusedTwice]
        case .conflict(let id): return texts.text(.importRefusedConflict, id.uuidString)
        case .image(let kind): return texts.reason(of: kind)
        case .comment(let number, let kind):
            return "\(texts.text(.importRefusedComment, "\(number)")): \(texts.reason(of: kind))"
        }
    }
}

extension Texts {
    fileprivate func reason(of kind: ErrorKind) -> String {
        switch kind {
        case .invalidData: self[.importRefusedImage]
        case .invalidParams: self[.importRefusedValues]
        default: ErrorPresenter.message(for: kind.rawValue, language: language)
        }
    }
}
