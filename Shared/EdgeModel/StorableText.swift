import Foundation

extension String {
    /// The text of an upstream as it is stored: with U+FFFD in place of each U+0000, as in HTML parsers, because SQLite's text functions
    /// stop at U+0000. Texts that people write are refused with it.
    public var storable: String {
        utf8.contains(0) ? replacingOccurrences(of: "\0", with: "\u{FFFD}") : self
    }
}
