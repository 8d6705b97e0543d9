import Testing

@testable import gateway

@Suite struct CompletionWordTests {
    @Test(arguments: [
        "$(touch x)", "`touch x`", "two words", "it's", "a\"b", "a\\b", "a\nb", "a\tb", "\u{1B}[31m", "a;b", "a|b",
        "a&b", "~",
        "*", "a?", "[a]", "{a,b}", "#a", "!a", "<a", ">a", "(a)", "^a", "=ls", "", "a\u{200B}", "\u{202E}a",
    ])
    func `a word that a shell may not take literally is not offered`(word: String) {
        #expect(CompletionWord.safe([CompletionWord(word: word), CompletionWord(word: "b")]).map(\.word) == ["b"])
    }

    @Test(arguments: [
        "feed.load", "after_id=", "strategy=cache_then_load", "image-data", "a:b", "ποιος", "写真", "v1/x@2",
        "items[0].id=",
    ])
    func `other words are offered`(word: String) {
        #expect(CompletionWord.safe([CompletionWord(word: word)]).map(\.word) == [word])
    }

    @Test func `zsh and fish show what a word stands for, bash and others do not`() {
        let word = CompletionWord(word: "a:b", summary: "First: line\nsecond")
        #expect(word.line(for: .zsh) == #"a\:b:First: line"#)
        #expect(CompletionWord(word: "a", summary: "\u{1B}").line(for: .zsh) == #"a:\\u{1B}"#)
        #expect(word.line(for: .fish) == "a:b\tFirst: line")
        #expect(word.line(for: .bash) == "a:b")
        #expect(word.line(for: nil) == "a:b")
        #expect(CompletionWord(word: "a").line(for: .fish) == "a")
    }

    @Test func `a summary is one short line that cannot control the terminal`() {
        func summary(_ text: String) -> String { CompletionWord(word: "a", summary: text).line(for: .fish) }
        #expect(summary("x\u{1B}[2J\ty") == "a\tx\\u{1B}[2J\\ty")
        #expect(summary(String(repeating: "a", count: 60)) == "a\t" + String(repeating: "a", count: 60))
        #expect(summary(String(repeating: "a", count: 61)) == "a\t" + String(repeating: "a", count: 59) + "…")
        #expect(summary(String(repeating: "写", count: 31)) == "a\t" + String(repeating: "写", count: 29) + "…")
    }
}
