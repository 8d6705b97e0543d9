import Foundation
import Testing

@testable import gateway

struct PictureTests {
    @Test func `a placeholder is a bitmap with its rows from the top and padded to four bytes`() throws {
        let url = try #require(PlaceholderPicture.url(columns: 1, rows: 2, pixels: [1, 2, 3, 4, 5, 6]))
        #expect(url.hasPrefix("data:image/bmp;base64,"))
        let bytes = try #require(Data(base64Encoded: String(url.dropFirst(22))))
        #expect(bytes.count == 62 && bytes.prefix(6) == Data([0x42, 0x4D, 62, 0, 0, 0]))
        #expect(bytes[18...25] == Data([1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF]) && bytes[26...29] == Data([1, 0, 24, 0]))
        #expect(bytes.suffix(8) == Data([3, 2, 1, 0, 6, 5, 4, 0]))
    }

    @Test(arguments: [(0, 1, 0), (1, 0, 0), (2, 2, 11), (2, 2, 13)])
    func `another number of pixels is no placeholder`(columns: Int, rows: Int, count: Int) {
        #expect(
            PlaceholderPicture.url(columns: columns, rows: rows, pixels: [UInt8](repeating: 0, count: count)) == nil)
    }

    @Test(arguments: [
        (nil, nil, PictureBox.Shape.square), (0, 10, .square), (640, 480, .whole), (4, 5, .whole), (799, 1_000, .tall),
        (191, 100, .whole), (1_911, 1_000, .wide), (1, 50_000_000, .tall),
    ])
    func `a picture is shown whole between 4:5 and 1.91:1`(width: Int?, height: Int?, shape: PictureBox.Shape) {
        #expect(PictureBox(width: width, height: height).shape == shape)
    }
}
