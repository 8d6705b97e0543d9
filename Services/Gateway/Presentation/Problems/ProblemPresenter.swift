/// Presents a missing part of a page.
public enum ProblemPresenter {
    /// The message names the missing part and not the cause, because the rest of the page was loaded.
    public static func viewModel(service: String, kind: String, language: Language) -> ProblemViewModel {
        let texts = Texts(language)
        let message = service == "comments" ? texts[.commentsUnavailable] : texts.text(.couldNotShow, service)
        return ProblemViewModel(service: service, kind: kind, message: message)
    }
}
