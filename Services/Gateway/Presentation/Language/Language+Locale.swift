import Foundation

extension Language {
    /// The locale for dates and numbers; the process's own locale never shows through.
    public var locale: Locale { Locale(identifier: rawValue) }
}
