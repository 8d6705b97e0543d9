import Testing

@testable import gateway

struct ProgressLineTests {
    private func line(
        _ done: Int, of total: Int?, _ unit: ProgressLine.Unit = .items, label: String = "", in width: Int
    ) -> String {
        ProgressLine(done: done, total: total, unit: unit, label: label).rendered(in: width)
    }

    @Test(
        arguments: [
            (20, "[##---] 42/105 phot…"),
            (40, "[####------] 42/105 photo.jpg"),
            (80, "[########------------] 42/105 photo.jpg"),
            (200, "[############------------------] 42/105 photo.jpg"),
        ])
    func `the bar grows with the terminal and the label is shortened`(width: Int, expected: String) {
        #expect(line(42, of: 105, label: "photo.jpg", in: width) == expected)
    }

    @Test(arguments: [(119, 29), (120, 30), (124, 30)])
    func `the bar is a quarter of the width, and at most 30 columns`(width: Int, length: Int) {
        #expect(line(0, of: 1, in: width) == "[" + String(repeating: "-", count: length) + "] 0/1")
    }

    @Test(
        arguments: [
            (0, 4, "[----] 0/4"),
            (1, 4, "[#---] 1/4"),
            (3, 4, "[###-] 3/4"),
            (4, 4, "[####] 4/4"),
            (5, 4, "[####] 5/4"),
            (-1, 4, "[----] -1/4"),
            (0, 0, "[####] 0/0"),
            (999, 1000, "[###-] 999/1000"),
        ])
    func `the bar is full only at the end`(done: Int, total: Int, expected: String) {
        #expect(line(done, of: total, in: 19) == expected)
    }

    @Test(
        arguments: [
            (15, "[#---] 42/105 …"),
            (14, "[#---] 42/105"),
            (13, "[#---] 42/105"),
            (12, "42/105 phot…"),
            (6, "42/105"),
            (5, "42/1…"),
            (1, "…"),
            (0, ""),
            (-1, ""),
        ])
    func `in a narrow terminal the label is omitted, then the bar`(width: Int, expected: String) {
        #expect(line(42, of: 105, label: "photo.jpg", in: width) == expected)
    }

    @Test func `an unknown total has no bar`() {
        #expect(line(42, of: nil, label: "photo.jpg", in: 80) == "42 photo.jpg")
    }

    @Test(
        arguments: [
            (0, 45_000_000, "[----------] 0 bytes/45 MB"),
            (1_234_567, 45_000_000, "[----------] 1.2 MB/45 MB"),
            (22_500_000, 45_000_000, "[#####-----] 22.5 MB/45 MB"),
            (12_345, nil, "12 kB"),
        ] as [(Int, Int?, String)])
    func `bytes are shown in readable units`(done: Int, total: Int?, expected: String) {
        #expect(line(done, of: total, .bytes, in: 40) == expected)
    }

    @Test(arguments: [("a\u{1B}[2K\n", #"a\u{1B}[2K\n"#), ("東京タワー", "東京タワー"), ("👩‍👩‍👧.jpg", "👩‍👩‍👧.jpg")])
    func `the label is escaped`(label: String, shown: String) {
        #expect(line(1, of: 2, label: label, in: 40) == "[#####-----] 1/2 " + shown)
    }

    @Test(arguments: 0...80)
    func `no line is too wide`(width: Int) {
        #expect(DisplayWidth.of(line(42, of: 105, label: "東京 👩‍👩‍👧 photo \u{7}.jpg", in: width)) <= width)
    }
}
