import Foundation

extension Language {
    /// The locale for dates and numbers, independent of the process's locale.
    public var locale: Locale { Locale(identifier: rawValue) }
}
