import Testing

@testable import gateway

struct TextTableTests {
    private static let plugins = TextTable(
        [.init("NAME"), .init("STATE"), .init("ms", align: .right), .init("LAST ERROR", fit: .wrap)],
        rows: [
            ["feed", "serving", "1", ""],
            ["image-data", "down", "1204", "connection refused: nobody listens on run/image-data.sock"],
        ])

    private static func images(_ fit: TextTable.Fit) -> TextTable {
        TextTable(
            [.init("ID"), .init("DESCRIPTION", fit: fit), .init("LOCATION")],
            rows: [
                ["2239CBA2", "東京タワーの夜景、とても綺麗でした", "東京"],
                ["ED4AB5F1", "Familie 👩‍👩‍👧 am Zu\u{308}richsee 🇨🇭", "Zürich"],
                ["6B0C5C7F", "שלום עולם \u{1B}[2J\u{202E}", "תל אביב"],
            ])
    }

    @Test func `without rows only the headings are printed`() {
        #expect(TextTable([.init("ID"), .init("LOCATION")], rows: []).rendered(in: 80) == "ID  LOCATION")
    }

    @Test func `one row is printed under its headings`() {
        let table = TextTable([.init("ID"), .init("COUNT", align: .right)], rows: [["a-long-id", "3"]])
        #expect(
            table.rendered(in: 80) == """
                ID         COUNT
                a-long-id      3
                """)
    }

    @Test func `at 80 columns the last column is wrapped`() {
        #expect(
            Self.plugins.rendered(in: 80) == """
                NAME        STATE      ms  LAST ERROR
                feed        serving     1
                image-data  down     1204  connection refused: nobody listens on
                                           run/image-data.sock
                """)
    }

    @Test func `at 40 columns it is wrapped more`() {
        #expect(
            Self.plugins.rendered(in: 40) == """
                NAME        STATE      ms  LAST ERROR
                feed        serving     1
                image-data  down     1204  connection
                                           refused:
                                           nobody
                                           listens on
                                           run/image-dat
                                           a.sock
                """)
    }

    @Test func `at 20 columns each row is a block`() {
        #expect(
            Self.plugins.rendered(in: 20) == """
                NAME: feed
                STATE: serving
                ms: 1
                LAST ERROR:

                NAME: image-data
                STATE: down
                ms: 1204
                LAST ERROR:
                  connection
                  refused: nobody
                  listens on
                  run/image-data.soc
                  k
                """)
    }

    @Test(arguments: [200, nil])
    func `with enough width or without a terminal each row is one line`(width: Int?) {
        #expect(
            Self.images(.shorten).rendered(in: width) == #"""
                ID        DESCRIPTION                         LOCATION
                2239CBA2  東京タワーの夜景、とても綺麗でした  東京
                ED4AB5F1  Familie 👩‍👩‍👧 am Zürichsee 🇨🇭          Zürich
                6B0C5C7F  שלום עולם \u{1B}[2J\u{202E}         תל אביב
                """#)
    }

    @Test func `at 40 columns a column is shortened between clusters`() {
        #expect(
            Self.images(.shorten).rendered(in: 40) == #"""
                ID        DESCRIPTION           LOCATION
                2239CBA2  東京タワーの夜景、…   東京
                ED4AB5F1  Familie 👩‍👩‍👧 am Züric…  Zürich
                6B0C5C7F  שלום עולם \u{1B}[2J…  תל אביב
                """#)
    }

    @Test func `at 40 columns a column is wrapped between words and clusters`() {
        #expect(
            Self.images(.wrap).rendered(in: 40) == #"""
                ID        DESCRIPTION           LOCATION
                2239CBA2  東京タワーの夜景、と  東京
                          ても綺麗でした
                ED4AB5F1  Familie 👩‍👩‍👧 am         Zürich
                          Zürichsee 🇨🇭
                6B0C5C7F  שלום עולם             תל אביב
                          \u{1B}[2J\u{202E}
                """#)
    }

    @Test func `wide identifiers are printed whole in blocks at 40 columns`() {
        let table = TextTable(
            [.init("ID"), .init("DESCRIPTION", fit: .wrap), .init("LOCATION", fit: .shorten)],
            rows: [
                [
                    "2239CBA2-CB35-4018-9D37-D2C2D2F1F6D1", "A bridge over the river in the evening light",
                    "Saint-Remy-en-Bouzemont-Saint-Genest",
                ]
            ])
        #expect(
            table.rendered(in: 40) == """
                ID: 2239CBA2-CB35-4018-9D37-D2C2D2F1F6D1
                DESCRIPTION: A bridge over the river in
                  the evening light
                LOCATION: Saint-Remy-en-Bouzemont-Saint…
                """)
    }

    @Test(arguments: [(37, true), (36, false)])
    func `headings are never shortened; the rows become blocks instead`(width: Int, isTable: Bool) {
        #expect(Self.plugins.rendered(in: width).contains("ms  LAST ERROR") == isTable)
    }

    @Test(arguments: [20, 40, 80, 200], [TextTable.Fit.shorten, .wrap])
    func `no line is wider than the terminal or ends with spaces`(width: Int, fit: TextTable.Fit) {
        for table in [Self.plugins, Self.images(fit)] {
            for line in table.rendered(in: width).split(separator: "\n") {
                #expect(DisplayWidth.of(String(line)) <= width)
                #expect(line.last != " ")
            }
        }
    }

    @Test(arguments: -1...3)
    func `extreme widths do not crash`(width: Int) {
        #expect(!Self.images(.wrap).rendered(in: width).isEmpty)
    }

    @Test(arguments: [20, 40, 80, 200])
    func `stored texts are escaped`(width: Int) {
        let row = ["1\u{9B}", "\u{1B}]0;x\u{7}\r\n\u{202E}"]
        let table = TextTable([.init("ID"), .init("TEXT\u{7}", fit: .wrap)], rows: [row])
        let acting = table.rendered(in: width).unicodeScalars.filter {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
        }
        #expect(acting.isEmpty)
    }

    @Test func `bold headings do not change the layout`() {
        let table = TextTable([.init("ID"), .init("COUNT", align: .right), .init("X")], rows: [["long", "1", "y"]])
        let bold = Style(isOn: true).bold
        #expect(
            table.rendered(in: 80, style: Style(isOn: true)) == """
                \(bold("ID"))    \(bold("COUNT"))  \(bold("X"))
                long      1  y
                """)
        #expect(
            table.rendered(in: 8, style: Style(isOn: true)) == """
                \(bold("ID:")) long
                \(bold("COUNT:")) 1
                \(bold("X:")) y
                """)
    }
}
