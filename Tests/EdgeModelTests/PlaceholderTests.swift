import EdgeModel
import Foundation
import Testing

struct PlaceholderTests {
    @Test(arguments: [(1, 1), (4, 3), (3, 4), (12, 1), (1, 12), (2, 6)])
    func `a placeholder has up to 12 pixels`(columns: Int, rows: Int) throws {
        let bytes = Data([UInt8(columns << 4 | rows)] + (0..<3 * columns * rows).map { UInt8($0) })
        let placeholder = try #require(Placeholder(bytes))
        #expect(placeholder.columns == columns && placeholder.rows == rows)
        #expect(placeholder.pixels.count == 3 * columns * rows && placeholder.pixels.first == 0)
        #expect(Placeholder(base64: placeholder.base64) == placeholder)
        // A slice has other indices.
        #expect(Placeholder((Data([7]) + bytes).dropFirst()) == placeholder)
    }

    @Test(arguments: [[], [0x11], [0x11, 1, 2], [0x11, 1, 2, 3, 4], [0x00], [0x01, 1, 2, 3], [0x10, 1, 2, 3]])
    func `bytes in another format are refused`(bytes: [UInt8]) {
        #expect(Placeholder(Data(bytes)) == nil)
        #expect(Placeholder(base64: Data(bytes).base64EncodedString()) == nil)
    }

    @Test func `13 pixels are refused`() {
        #expect(Placeholder(Data([0xD1]) + Data(count: 39)) == nil)
        #expect(Placeholder(Data([0x44]) + Data(count: 48)) == nil)
    }

    @Test func `the largest has at most 40 bytes`() { #expect(Placeholder.maximumBytes <= 40) }

    @Test(arguments: [
        "EQECAw", "EQECAw=", " EQECAw==", "EQECAw==\n", "*QECAw==", String(repeating: "A", count: 100_000),
    ])
    func `text that is not base64 is refused`(text: String) { #expect(Placeholder(base64: text) == nil) }

    @Test(arguments: [
        [4_000, 3_000, 4, 3], [3_000, 4_000, 3, 4], [1_920, 1_080, 5, 2], [1, 1, 3, 4], [50_000_000, 1, 12, 1],
        [1, 50_000_000, 1, 12],
    ])
    func `the grid has the picture's ratio`(numbers: [Int]) {
        #expect(Placeholder.grid(width: numbers[0], height: numbers[1]) == (numbers[2], numbers[3]))
    }
}

struct PictureHintsTests {
    @Test(arguments: [(nil, 3), (3, nil), (0, 3), (3, 0), (3, 50_000_001), (-1, -1)] as [(Int?, Int?)])
    func `a size is complete and in its limits, or absent`(width: Int?, height: Int?) {
        let hints = PictureHints(width: width, height: height)
        #expect(hints.isEmpty && hints.height == nil)
    }

    @Test func `hints are completed by others`() {
        let placeholder = Placeholder(Data([0x11, 1, 2, 3]))
        let sized = PictureHints(width: 4, height: 3)
        #expect(PictureHints().completed(by: sized) == sized)
        let other = PictureHints(width: 1, height: 1, placeholder: placeholder)
        #expect(sized.completed(by: other) == PictureHints(width: 4, height: 3, placeholder: placeholder))
    }
}
