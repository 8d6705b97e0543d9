import Presentation
import Testing

struct ErrorPresenterTests {
    @Test(arguments: [
        ("connectivity", TextKey.connectionError), ("unavailable", .unavailable),
        ("deadline_exceeded", .deadlineExceeded), ("invalid_data", .invalidData), ("data_loss", .dataLoss),
        ("not_found", .notFound), ("overloaded", .overloaded), ("permission_denied", .permissionDenied),
        ("read_only", .readOnly), ("too_large", .tooLarge), ("already_exists", .alreadyExists),
        ("internal", .unknownError), ("invalid_params", .unknownError), ("cancelled", .unknownError),
        ("Connectivity", .unknownError), ("", .unknownError), ("from the future", .unknownError),
    ])
    func `a kind has its text in every language`(kind: String, key: TextKey) {
        for language in Language.allCases {
            #expect(ErrorPresenter.message(for: kind, language: language) == Texts(language)[key])
        }
    }

    @Test(arguments: [
        (Language.en, "likes is not available right now"),
        (.ptBR, "likes não está disponível no momento"),
        (.el, "Το «likes» δεν είναι διαθέσιμο αυτή τη στιγμή"),
        (.es, "likes no está disponible en este momento"),
    ])
    func `a missing part of a page is named`(language: Language, message: String) {
        #expect(
            ProblemPresenter.viewModel(service: "likes", kind: "unavailable", language: language)
                == ProblemViewModel(service: "likes", kind: "unavailable", message: message))
    }
}
