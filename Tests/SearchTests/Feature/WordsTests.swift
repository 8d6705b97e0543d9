import Foundation
import RPCTestKit
import Search
import Testing

/// The words by which texts are found.
@Suite struct WordsTests {
    @Test(
        "words are folded",
        arguments: [
            ("", ""), ("  \n", ""), ("Sunset", "sunset"), ("a-b_c.d", "a b c d"), ("it's 7°C", "it s 7 ° c"),
            ("São João", "sao joao"), ("Sa\u{303}o", "sao"), ("Ήλιος ΉΛΙΟΣ ηλιοσ", "ηλιοσ ηλιοσ ηλιοσ"),
            ("Ｔｏｋｙｏ ７", "tokyo 7"), ("Straße STRASSE", "strasse strasse"), ("Ærø œuvre", "aero oeuvre"),
            ("İstanbul ısı", "istanbul isi"), ("Ångström", "angstrom"), ("й Ёлка", "и елка"), ("ﬁsh", "fish"),
            ("مَرْحَبًا", "مرحبا"), ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिन्दी"), ("한국어", "한국어"),
            ("الرَّحۡمَٰنِ صالح\u{610}", "الرحمن صالح"), ("c\u{334}a\u{489}t", "cat"), ("क\u{951}ड़", "कड़"),
            ("അവൻ അവന്\u{200D}", "അവന് അവന്"), ("উৎ উত্\u{200D}", "উত্ উত্"),
            ("½ 1⁄2 1/2 ŉ", "1 2 1 2 1 2 n"), ("coŀlegi col·legi", "col legi col legi"), ("\u{FE70}a", "a"), ("㈱", "株"),
            ("مرحبا\u{061C}كم", "مرحباکم"), ("ᠮᠣᠩ\u{180B}ᠭᠣᠯ", "ᠮᠣᠩᠭᠣᠯ"), ("co\u{AD}operate", "cooperate"),
            ("a\u{202E}b\u{200F}c", "abc"), ("a\0b", "a b"),
        ])
    func folding(text: String, words: String) {
        #expect(Words.indexed(text) == words)
    }

    /// Folded whole, one of these would take minutes.
    @Test(
        "of a word and of a character, thousands of combining marks are cut",
        arguments: [("कि", "\u{93C}\u{94D}"), ("ا", "\u{64B}\u{650}"), ("猫", "\u{301}\u{316}"), ("か", "\u{3099}")])
    func combiningMarks(character: String, marks: String) {
        #expect(Words.indexed(character + String(repeating: marks, count: 200_000)).unicodeScalars.count <= 2 * 256)
    }

    @Test(
        "texts of frequent characters have the same words as in a text of other characters",
        arguments: ["Ab1 c-D", "x_y", "9'to'5", " a  b ", "©a é\u{301}", "\u{AD}a\u{AD}ß©\u{AD}b", "ŉ\u{301} \u{301}"])
    func frequentCharacters(text: String) {
        func words(_ text: String) -> [Substring] { Words.indexed(text).split(separator: " ") }
        #expect(words(text + " 東") == words(text) + ["東"])
    }

    @Test("random texts of frequent characters have the same words as in a text of other characters", arguments: 0..<20)
    func randomCharacters(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<200 {
            var text = ""
            for _ in 0..<Int.random(in: 0...100, using: &random) {
                let end: UInt32 = Bool.random(using: &random) ? 0x600 : 0x80
                guard let scalar = Unicode.Scalar(UInt32.random(in: 0..<end, using: &random)) else { continue }
                text.unicodeScalars.append(Bool.random(using: &random) ? scalar : "a")
            }
            frequentCharacters(text: text)
        }
    }

    @Test(
        "a script without spaces has a gram for each character",
        arguments: [
            ("東", "東"), ("東京", "東京 京 東"), ("東京タワー", "東京タ 京タワ タワー ワー ー 東 京 タ ワ 東京 京タ タワ"),
            ("ガ ｶﾞ か\u{3099}", "ガ ガ が"), ("東京tower", "東京 京 東 tower"),
            ("สวัสดี", "สวัส วัสดี สดี ดี ส วั ส สวั วัส"), ("東\u{FE00}京", "東京 京 東"), ("ก\u{200B}ข", "กข ข ก"),
            ("น้ำ น้\u{E4D}\u{E32}", "น้ำ น้ำ"), ("ນ\u{ECD}\u{EB2}", "ນຳ"), ("⼈間", "人間 間 人"),
        ])
    func grams(text: String, words: String) {
        // Strings are equal in any composition.
        #expect(Array(Words.indexed(text).utf8) == Array(words.utf8))
    }

    @Test(
        "emoji are words, without their colour and variation",
        arguments: [
            ("a🌇b", "a 🌇 b"), ("👍🏽 👍", "👍 👍"), ("❤️", "❤"), ("👩‍👧", "👩 👧"), ("🇧🇷", "🇧🇷"), ("🇬🇧🇷🇴🇧", "🇬🇧 🇷🇴 🇧"),
            ("🏴\u{E0067}\u{E0073}\u{E007F} 🏴", "🏴\u{E0067}\u{E0073}\u{E007F} 🏴"),
            ("❤️\u{200D}🔥", "❤ 🔥"),
        ])
    func emoji(text: String, words: String) {
        #expect(Words.indexed(text) == words)
    }

    @Test("a word is cut at 64 characters", arguments: [("a", 63), ("a", 64), ("a", 65), ("ω", 64), ("ω", 65)])
    func longWords(letter: String, length: Int) {
        let word = String(repeating: letter, count: length)
        #expect(Words.indexed(word) == String(repeating: letter, count: min(length, 64)))
    }
}
