/// Presents errors in the user's language.
public enum ErrorPresenter {
    /// The message for an error kind; kinds without a specific message share a general one.
    public static func message(for kind: String, language: Language) -> String {
        specificMessage(for: kind, language: language) ?? Texts(language)[.unknownError]
    }

    /// The specific message for an error kind; nil when only the general one applies.
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
