extension Language {
    /// The first of `preferences` that the product speaks, by its language alone (any Portuguese is pt-BR), else English.
    ///
    /// - Parameter preferences: BCP 47 tags (`el-GR`) or POSIX locale names (`pt_BR.UTF-8`), the most wanted first.
    public init(negotiating preferences: [String]) {
        self = preferences.lazy.compactMap(Language.init(nearestTo:)).first ?? .en
    }

    private init?(nearestTo preference: String) {
        switch preference.prefix(while: { !"-_.@".contains($0) }).lowercased() {
        // Asking for C is asking for the untranslated texts: LC_ALL=C outranks LANG=el_GR.
        case "en", "c", "posix": self = .en
        case "pt": self = .ptBR
        case "el": self = .el
        case "es": self = .es
        default: return nil
        }
    }
}
