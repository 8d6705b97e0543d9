/// How a scalar separates the words of a text.
enum Separation: UInt8 {
    /// A part of a word.
    case word

    /// A part of a run of a script without spaces between words: Chinese, Japanese, Thai, Lao, Khmer and Burmese.
    case dense

    /// A word of its own: emoji and pictographs.
    case symbol

    /// Has no meaning in a search, such as a direction mark or the colour of an emoji.
    case ignored

    case separator

    init(_ scalar: Unicode.Scalar) {
        self =
            scalar.value < FrequentScalars.end
            ? FrequentScalars.table.separations[Int(scalar.value)] : Self.ofAny(scalar)
    }

    /// The same without a table.
    static func ofAny(_ scalar: Unicode.Scalar) -> Separation {
        if isIgnored(scalar) { return .ignored }
        if isApostrophe(scalar.value) { return .separator }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return isDense(scalar.value) && scalar.properties.generalCategory != .decimalNumber ? .dense : .word
        case .otherSymbol:
            return isDense(scalar.value) ? .dense : .symbol
        default:
            return scalar.properties.isEmojiPresentation ? .symbol : .separator
        }
    }

    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Key caps, skin tones.
        case 0x20E3, 0x1F3FB...0x1F3FF: true
        // Soft hyphens, joiners, direction marks, variation selectors, the byte order mark.
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Behind a black flag, tags name a region such as Scotland.
    static func isTag(_ scalar: Unicode.Scalar) -> Bool { (0xE0020...0xE007F).contains(scalar.value) }

    /// Letters that are written for an apostrophe. The other apostrophes are punctuation, and so separators too.
    private static func isApostrophe(_ value: UInt32) -> Bool {
        switch value {
        case 0x02B9...0x02BF, 0x07F4, 0x07F5, 0xA78B, 0xA78C: true
        default: false
        }
    }

    private static func isDense(_ value: UInt32) -> Bool {
        switch value {
        // Thai and Lao, Burmese, Khmer.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        // Radicals, iteration marks, Hiragana and Katakana, Han.
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
        case 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
