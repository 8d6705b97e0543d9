import Testing

@testable import gateway

@Suite struct LiveFrameTests {
    @Test func `a frame is drawn over the last one`() {
        #expect(LiveFrame.drawing("a\nb", isFirst: true, rows: 24) == "\u{1B}[2J\u{1B}[Ha\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        #expect(LiveFrame.drawing("a", isFirst: false, rows: 24) == "\u{1B}[Ha\u{1B}[K\n\u{1B}[J")
    }

    @Test(arguments: [(3, 2), (2, 1), (1, 1), (4, 3)]) func `a frame never scrolls the screen`(rows: Int, lines: Int) {
        #expect(LiveFrame.drawing("a\nb\nc", isFirst: false, rows: rows).count { $0 == "\n" } == lines)
    }
}
