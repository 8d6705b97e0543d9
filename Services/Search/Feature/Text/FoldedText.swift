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
    /// sound marks of Japanese. A scalar that stands for several words, such as `½`, becomes these, with spaces between them.
    static func anyWord(_ scalars: Substring.UnicodeScalarView) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in String(Substring(scalars)).decomposedStringWithCompatibilityMapping.unicodeScalars
        where !isDropped(scalar) {
            if Separation.ofAny(scalar) == .separator {
                folded.append(" ")
            } else {
                folded.append(contentsOf: replacement(scalar).unicodeScalars)
            }
        }
        return String(folded).precomposedStringWithCanonicalMapping
    }

    /// A symbol with the tags behind it, or a flag.
    static func symbol(_ scalars: Substring.UnicodeScalarView) -> String {
        let kept = scalars.filter { Separation.isTag($0) || Separation($0) != .ignored }
        return kept.count > 1 ? String(kept) : word(Substring(String(kept)).unicodeScalars)
    }

    /// A character of a script without spaces between words. Its marks are vowels or sounds, so they matter.
    static func character(_ character: Character) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: character.unicodeScalars.prefix(TextRun.longestRun).lazy.filter { Separation($0) != .ignored })
        // The first mapping does not compose what it has made of narrow characters.
        return joined(
            String(scalars).precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
                .lowercased())
    }

    /// Joins the vowel am of Thai and Lao, which compatibility mappings separate into two characters.
    static func joined(_ text: String) -> String {
        let second = text.unicodeScalars.dropFirst()
        guard second.contains(where: { am(ofSecond: $0) != nil }) else { return text }
        var joined = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let am = am(ofSecond: scalar), joined.last == am.first {
                joined.removeLast()
                joined.append(am.whole)
            } else {
                joined.append(scalar)
            }
        }
        return String(joined)
    }

    /// A character with the next one, if both are one when they are joined.
    static func joined(_ character: String, _ next: String) -> String? {
        guard let second = next.unicodeScalars.first, let am = am(ofSecond: second),
            character.unicodeScalars.last == am.first
        else { return nil }
        return joined(character + next)
    }

    /// The vowel am whose second part is this scalar, and its first part.
    private static func am(ofSecond scalar: Unicode.Scalar) -> (first: Unicode.Scalar, whole: Unicode.Scalar)? {
        switch scalar {
        case "\u{0E32}": ("\u{0E4D}", "\u{0E33}")
        case "\u{0EB2}": ("\u{0ECD}", "\u{0EB3}")
        default: nil
        }
    }

    /// Diacritics and marks without a sound. Marks that make another letter or a vowel, as those of Japanese and of India, are kept.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .enclosingMark: return true
        case .nonspacingMark where isDiacritic(scalar.properties.canonicalCombiningClass.rawValue): return true
        // The tatweel lengthens an Arabic word. Not from the table, which is made with this.
        default: return scalar == "\u{0640}" || Separation.ofAny(scalar) == .ignored
        }
    }

    /// Marks across a letter; the points of Hebrew, Arabic and Syriac; marks below and above a letter.
    private static func isDiacritic(_ combiningClass: UInt8) -> Bool {
        combiningClass == 1 || (10...36).contains(combiningClass) || combiningClass >= 200
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

    /// Letters that are one letter to readers: what a Persian, an Urdu and an Arabic keyboard write differs, and what an old and a new
    /// one of Malayalam or Bengali do.
    private static let variants = [
        // Kaf, yeh, heh, waw, alef.
        "ك": "ک", "ڪ": "ک", "ي": "ی", "ى": "ی", "ة": "ه", "ہ": "ه", "ھ": "ه", "ە": "ه", "ۃ": "ه", "ۀ": "ه",
        "ۂ": "ه", "ٱ": "ا",
        // Letters without a vowel. The joiner that ends their older spelling is ignored.
        "ൺ": "\u{0D23}\u{0D4D}", "ൻ": "\u{0D28}\u{0D4D}", "ർ": "\u{0D30}\u{0D4D}", "ൽ": "\u{0D32}\u{0D4D}",
        "ൾ": "\u{0D33}\u{0D4D}", "ൿ": "\u{0D15}\u{0D4D}", "ৎ": "\u{09A4}\u{09CD}",
    ]

    /// Letters that no decomposition maps to others.
    private static let ligatures = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "þ": "th",
        "ŋ": "n",
        "ı": "i", "ς": "σ",
    ]
}
