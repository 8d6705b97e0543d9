import Testing

@testable import gateway

struct StyleTests {
    @Test func `without colour the text is unchanged`() {
        let style = Style.plain
        for styled in [style.bold, style.dim, style.red, style.green, style.yellow] {
            #expect(styled("text") == "text")
        }
    }

    @Test func `with colour the text is between its sequences`() {
        let style = Style(isOn: true)
        #expect(style.bold("text") == "\u{1B}[1mtext\u{1B}[22m")
        #expect(style.dim("text") == "\u{1B}[2mtext\u{1B}[22m")
        #expect(style.red("text") == "\u{1B}[31mtext\u{1B}[39m")
        #expect(style.green("text") == "\u{1B}[32mtext\u{1B}[39m")
        #expect(style.yellow("text") == "\u{1B}[33mtext\u{1B}[39m")
    }

    @Test func `a colour inside bold text does not end the bold`() {
        let style = Style(isOn: true)
        #expect(style.bold(style.red("a") + "b") == "\u{1B}[1m\u{1B}[31ma\u{1B}[39mb\u{1B}[22m")
    }

    @Test func `an empty text is not styled`() {
        #expect(Style(isOn: true).bold("").isEmpty)
    }
}
