/// Presents the absence of a part of a page.
public enum ProblemPresenter {
    /// The message names the missing part and not the cause: the page stands, so its reader reached the server.
    public static func viewModel(service: String, kind: String, language: Language) -> ProblemViewModel {
        ProblemViewModel(service: service, kind: kind, message: Texts(language).text(.couldNotShow, service))
    }
}
