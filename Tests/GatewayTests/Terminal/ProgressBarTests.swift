import Testing

@testable import gateway

struct ProgressBarTests {
    private let start = ContinuousClock.now

    private func bar(on terminals: Set<Terminal.Stream> = [.error], term: String = "xterm") -> ProgressBar {
        ProgressBar(total: 4, on: Terminal(terminals: terminals, windowColumns: 20, environment: ["TERM": term]))
    }

    @Test func `an update redraws the line and clears the rest of it`() {
        var bar = bar()
        #expect(bar.update(to: 1, label: "a.jpg", at: start) == "\r[#---] 1/4 a.jpg\u{1B}[K")
    }

    @Test(arguments: [(0, false), (99, false), (100, true), (5_000, true)])
    func `it is redrawn ten times a second`(milliseconds: Int, isDrawn: Bool) {
        var bar = bar()
        _ = bar.update(to: 1, at: start)
        let written = bar.update(to: 2, at: start.advanced(by: .milliseconds(milliseconds)))
        #expect(written == (isDrawn ? "\r[##--] 2/4\u{1B}[K" : ""))
    }

    @Test func `the interval begins with the last drawn update`() {
        var bar = bar()
        let written = (0..<300).filter { !bar.update(to: $0, at: start.advanced(by: .milliseconds($0))).isEmpty }
        #expect(written == [0, 100, 200])
    }

    @Test func `finishing leaves the last state on a separate line`() {
        var bar = bar()
        _ = bar.update(to: 3, at: start)
        _ = bar.update(to: 4, label: "d.jpg", at: start)
        #expect(bar.finish() == "\r[####] 4/4 d.jpg\u{1B}[K\n")
        #expect(bar.finish().isEmpty)
        #expect(bar.clear().isEmpty)
        #expect(bar.update(to: 4, at: start.advanced(by: .seconds(1))).isEmpty)
    }

    @Test func `after clearing the next update draws at once`() {
        var bar = bar()
        #expect(bar.clear().isEmpty)
        _ = bar.update(to: 1, at: start)
        #expect(bar.clear() == "\r\u{1B}[K")
        #expect(bar.clear().isEmpty)
        #expect(bar.update(to: 2, at: start) == "\r[##--] 2/4\u{1B}[K")
    }

    @Test(arguments: [([.output], "xterm"), ([], "xterm"), ([.error], "dumb")] as [(Set<Terminal.Stream>, String)])
    func `without a terminal that can redraw a line the bar is silent`(terminals: Set<Terminal.Stream>, term: String) {
        var bar = bar(on: terminals, term: term)
        #expect(bar.update(to: 1, at: start).isEmpty)
        #expect(bar.clear().isEmpty)
        #expect(bar.finish().isEmpty)
    }

    @Test(arguments: [1, 2, 20, 40, 80, 200])
    func `the last column remains empty`(columns: Int) throws {
        let terminal = Terminal(terminals: [.error], windowColumns: columns, environment: ["TERM": "xterm"])
        var bar = ProgressBar(total: nil, on: terminal)
        let written = bar.update(to: 1, label: String(repeating: "漢", count: 200), at: start)
        let line = try #require(written.wholeMatch(of: /\r(.*)\x{1B}\[K/)).1
        #expect(DisplayWidth.of(String(line)) < columns)
    }
}
