/// The scalars, other than emoji, that are two columns wide: East Asian Width W and F of Unicode 17.0. The ranges are
/// merged across unassigned code points and across emoji, which Swift's Unicode properties identify.
///
/// The C library's `wcwidth` depends on its version: that of glibc 2.36 returns -1 for emoji since 2022 and for the
/// ideographs of recent extensions.
enum WideScalars {
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= first else { return false }
        return ranges.contains { $0.contains(scalar.value) }
    }

    private static let first: UInt32 = 0x1100

    private static let ranges: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul leading consonants
        0x2329...0x232A,  // angle brackets
        0x2630...0x2637,  // trigrams
        0x268A...0x268F,  // monograms and digrams
        0x2E80...0x303E,  // radicals, ideographic punctuation
        0x3041...0x3247,  // kana, bopomofo, compatibility jamo
        0x3250...0xA4C6,  // ideographs, hexagrams, Yi
        0xA960...0xA97C,  // Hangul leading consonants, extended
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // compatibility ideographs
        0xFE10...0xFE19,  // vertical forms
        0xFE30...0xFE6B,  // compatibility and small forms
        0xFF01...0xFF60,  // fullwidth forms
        0xFFE0...0xFFE6,  // fullwidth signs
        0x16FE0...0x16FE3,  // ideographic marks
        0x16FF2...0x1B2FB,  // Tangut, Khitan, kana supplements, Nushu
        0x1D300...0x1D376,  // Tai Xuan Jing symbols, counting rods
        0x1F200...0x1F265,  // enclosed ideographs
        0x20000...0x3FFFD,  // ideographs of planes 2 and 3, assigned or not
    ]
}
