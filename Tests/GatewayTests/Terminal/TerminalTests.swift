import Testing

@testable import gateway

struct TerminalTests {
    @Test(
        arguments: [
            (nil, nil, 80),
            (nil, 132, 132),
            (nil, 0, 80),
            ("40", nil, 40),
            ("40", 132, 40),
            ("0", 132, 132),
            ("-1", 132, 132),
            ("wide", nil, 80),
            ("", nil, 80),
        ] as [(String?, Int?, Int)])
    func `the width comes from COLUMNS, otherwise from the window, otherwise it is 80`(
        variable: String?, window: Int?, columns: Int
    ) {
        let environment = variable.map { ["COLUMNS": $0] } ?? [:]
        #expect(Terminal(windowColumns: window, environment: environment).columns == columns)
    }

    @Test func `each stream may be a terminal or not`() {
        let piped = Terminal(terminals: [.error], environment: ["TERM": "xterm"])
        #expect(!piped.isTerminal(.output))
        #expect(piped.isTerminal(.error))
        #expect(piped.style(for: .output, color: .auto) == .plain)
        #expect(piped.style(for: .error, color: .auto) == Style(isOn: true))
    }

    @Test(arguments: [("xterm-256color", true), ("dumb", false), ("", false), (nil, false)] as [(String?, Bool)])
    func `a terminal understands escape sequences unless TERM is dumb or missing`(term: String?, understands: Bool) {
        let environment = term.map { ["TERM": $0] } ?? [:]
        let terminal = Terminal(terminals: [.output], environment: environment)
        #expect(terminal.understandsEscapes(.output) == understands)
        #expect(terminal.style(for: .output, color: .auto).isOn == understands)
        #expect(terminal.style(for: .output, color: .always).isOn)
    }

    @Test func `without a terminal escape sequences are not supported`() {
        #expect(!Terminal(environment: ["TERM": "xterm"]).understandsEscapes(.output))
    }
}
