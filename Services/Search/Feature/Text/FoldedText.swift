import Foundation

/// Folds text so that spellings which readers consider equal become equal: case, width, diacritics and ligatures do not matter.
enum FoldedText {
    /// The folded form of a word.
    /// - Parameter scalars: without separators.
    static func word(_ scalars: Substring.UnicodeScalarView) -> String {
        let table = FrequentScalars.table
        var bytes: [UInt8] = []
        for scalar in scalars {
            guard scalar.value < FrequentScalars.end else { return anyWord(scalars) }
            table.appendFolded(Int(scalar.value), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same for every script. Decomposing separates the marks to drop, and composing joins those that remain, such as the voiced
    /// sound marks of Japanese.
    static func anyWord(_ scalars: Substring.UnicodeScalarView) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in String(Substring(scalars)).decomposedStringWithCompatibilityMapping.unicodeScalars
        where !isDropped(scalar) {
            folded.append(contentsOf: replacement(scalar).unicodeScalars)
        }
        return String(folded).precomposedStringWithCanonicalMapping
    }

    /// A character of a script without spaces between words. Its marks are vowels or sounds, so they matter.
    static func character(_ character: Character) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: character.unicodeScalars.prefix(TextRun.longestRun).lazy.filter { Separation($0) != .ignored })
        // The first mapping does not compose what it has made of narrow characters.
        return String(scalars).precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
            .lowercased()
    }

    /// Diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic, and marks without a sound.
    static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        case 0x0591...0x05C7, 0x0640, 0x064B...0x065F, 0x0670: true
        // Not from the table, which is made with this.
        default: Separation.ofAny(scalar) == .ignored
        }
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> String {
        if let digit = digit(scalar) { return digit }
        let lower = scalar.properties.lowercaseMapping
        return variants[lower] ?? ligatures[lower] ?? lower
    }

    /// The ASCII digit for a digit of any script.
    private static func digit(_ scalar: Unicode.Scalar) -> String? {
        guard scalar.value > 0x7F, scalar.properties.generalCategory == .decimalNumber,
            let value = scalar.properties.numericValue
        else { return nil }
        return String(Int(value))
    }

    /// Letters that are one letter to readers: what a Persian, an Urdu and an Arabic keyboard write differs.
    private static let variants = [
        // Kaf, yeh, heh, waw, alef.
        "ك": "ک", "ڪ": "ک", "ي": "ی", "ى": "ی", "ة": "ه", "ہ": "ه", "ھ": "ه", "ە": "ه", "ۃ": "ه", "ۀ": "ه",
        "ۂ": "ه", "ٱ": "ا",
    ]

    /// Letters that no decomposition maps to others.
    private static let ligatures = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "þ": "th",
        "ŋ": "n",
        "ı": "i", "ς": "σ",
    ]
}
