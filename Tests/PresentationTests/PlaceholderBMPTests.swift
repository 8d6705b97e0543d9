import EdgeModel
import Foundation
import Testing

@testable import Presentation

struct PlaceholderBMPTests {
    @Test func `a placeholder is a BMP from the top, with blue first and padded rows`() throws {
        let placeholder = try #require(Placeholder(Data([0x22] + (1...12))))
        let bmp = placeholder.bmp
        #expect(bmp.count == 54 + 2 * 8)
        #expect(Array(bmp.prefix(6)) == [0x42, 0x4D, 70, 0, 0, 0] && bmp[10] == 54 && bmp[14] == 40)
        #expect(Array(bmp[18..<30]) == [2, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 1, 0, 24, 0])
        #expect(Array(bmp[54...]) == [3, 2, 1, 6, 5, 4, 0, 0, 9, 8, 7, 12, 11, 10, 0, 0])
        #expect(placeholder.dataURI == "data:image/bmp;base64," + bmp.base64EncodedString())
    }

    @Test func `the largest is short`() throws {
        let placeholder = try #require(Placeholder(Data([0x43]) + Data(count: 36)))
        #expect(placeholder.dataURI.utf8.count < 160)
    }
}
