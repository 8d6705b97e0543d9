import Testing

@testable import gateway

struct FramePainterTests {
    private let kitty = TerminalPicture(columns: 4, rows: 2, content: .stored(id: 7, "<store>"))
    private let sixel = TerminalPicture(columns: 4, rows: 2, content: .sequence("<sixel>"))

    private func painted(_ painter: inout FramePainter, _ frame: Frame) -> String {
        painter.paint(frame)
            .replacingOccurrences(of: "\u{1B}", with: "^").replacingOccurrences(of: "^[?2026h", with: "")
            .replacingOccurrences(of: "^[?2026l", with: "")
    }

    @Test func `only lines that have changed are written`() {
        var painter = FramePainter()
        #expect(
            painted(&painter, Frame(lines: ["a", "b"])) == "^[0m^[2J^[1;1Ha^[0m^[K^[2;1Hb^[0m^[K")
        #expect(painted(&painter, Frame(lines: ["a", "c"])) == "^[0m^[2;1Hc^[0m^[K")
        #expect(painted(&painter, Frame(lines: ["a", "c"])).isEmpty)
    }

    @Test func `another base or number paints everything`() {
        var painter = FramePainter()
        _ = painted(&painter, Frame(lines: ["a"]))
        #expect(painted(&painter, Frame(lines: ["a"], base: "1")).contains("^[1m^[2J^[1;1Ha"))
        #expect(painted(&painter, Frame(lines: ["a"], base: "1", number: 1)).contains("^[2J^[1;1Ha"))
    }

    @Test func `a stored picture is sent once, placed again, and deleted when it is no longer needed`() {
        var painter = FramePainter()
        func frame(_ row: Int) -> Frame {
            Frame(lines: [""], placements: [.init(picture: kitty, column: 1, row: row)], stored: [7])
        }
        #expect(painted(&painter, frame(0)).contains("<store>^[1;2H^_Ga=p,q=2,i=7,p=1,c=4,r=2,C=1^\\"))
        let second = painted(&painter, frame(3))
        #expect(!second.contains("<store>") && second.contains("^_Ga=d,d=a,q=2^\\^[2J") && second.contains("^[4;2H"))
        let hidden = painted(&painter, Frame(lines: [""], stored: [7]))
        #expect(!hidden.contains("d=I"))
        #expect(painted(&painter, Frame(lines: [""])).contains("d=I,i=7"))
        #expect(painted(&painter, frame(0)).contains("<store>"))
    }

    @Test func `a picture that stays is not drawn again when a line changes`() {
        var painter = FramePainter()
        let placements = [Frame.Placement(picture: sixel, column: 0, row: 0)]
        #expect(painted(&painter, Frame(lines: ["a"], placements: placements)).contains("<sixel>"))
        #expect(!painted(&painter, Frame(lines: ["b"], placements: placements)).contains("<sixel>"))
    }
}
