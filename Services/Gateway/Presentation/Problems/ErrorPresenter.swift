/// Presents an error in a reader's words.
public enum ErrorPresenter {
    /// What a reader is told about an error of this kind; kinds that mean nothing to a reader are one unknown error.
    public static func message(for kind: String, language: Language) -> String {
        specificMessage(for: kind, language: language) ?? Texts(language)[.unknownError]
    }

    /// The same where there is more to say than that something went wrong.
    public static func specificMessage(for kind: String, language: Language) -> String? {
        key(for: kind).map { Texts(language)[$0] }
    }

    private static func key(for kind: String) -> TextKey? {
        switch kind {
        case "already_exists": .alreadyExists
        case "connectivity": .connectionError
        case "data_loss": .dataLoss
        case "deadline_exceeded": .deadlineExceeded
        case "invalid_data": .invalidData
        case "not_found": .notFound
        case "overloaded": .overloaded
        case "permission_denied": .permissionDenied
        case "read_only": .readOnly
        case "too_large": .tooLarge
        case "unavailable": .unavailable
        default: nil
        }
    }
}
