extension Language {
    /// The first supported language of `preferences`, by its primary tag (any Portuguese is pt-BR); otherwise English.
    ///
    /// - Parameter preferences: BCP 47 tags (`el-GR`) or POSIX locale names (`pt_BR.UTF-8`), the most preferred first.
    public init(negotiating preferences: [String]) {
        self = preferences.lazy.compactMap(Language.init(nearestTo:)).first ?? .en
    }

    /// The supported language of a preference, by its primary tag; nil when there is none.
    public init?(nearestTo preference: String) {
        let tag = preference.utf8.prefix { !"-_.@".utf8.contains($0) }
        // A longer one is not compared: Swift takes the square of the length of a run of combining marks for that.
        guard tag.count <= Self.longestTag else { return nil }
        switch String(decoding: tag, as: UTF8.self).lowercased() {
        // The C locale requests untranslated texts: LC_ALL=C takes precedence over LANG=el_GR.
        case "en", "c", "posix": self = .en
        case "pt": self = .ptBR
        case "el": self = .el
        case "es": self = .es
        default: return nil
        }
    }

    /// The maximum bytes of a primary tag (RFC 5646, section 2.1).
    private static let longestTag = 8
}
