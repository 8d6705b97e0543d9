import Testing

@testable import gateway

struct ColumnWidthsTests {
    @Test(
        arguments: [
            (100, [10, 40, 5]),
            (55, [10, 40, 5]),
            (54, [10, 39, 5]),
            (23, [10, 8, 5]),
            (22, nil),
        ] as [(Int, [Int]?)])
    func `the flexible column shrinks to its minimum`(room: Int, widths: [Int]?) {
        #expect(ColumnWidths.fitting(natural: [10, 40, 5], minimum: [10, 8, 5], in: room) == widths)
    }

    @Test(arguments: [(20, [8, 12]), (16, [6, 10]), (31, [14, 17]), (36, [16, 20]), (38, [16, 22])])
    func `flexible columns share the width up to their natural widths`(room: Int, widths: [Int]) {
        #expect(ColumnWidths.fitting(natural: [16, 30], minimum: [4, 8], in: room) == widths)
    }

    @Test func `no columns need no width`() {
        #expect(ColumnWidths.fitting(natural: [], minimum: [], in: 0) == [])
    }
}
