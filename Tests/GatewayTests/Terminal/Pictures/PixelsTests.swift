import EdgeModel
import Foundation
import Testing

@testable import gateway

struct PixelsTests {
    @Test(
        arguments: [
            ("P6\n2 1\n255\n", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
            ("P6\n#vips2ppm - Mon\n2 1\n255\n", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
            ("P5 2 1 255 ", [7, 9], [7, 7, 7, 9, 9, 9]),
        ] as [(String, [UInt8], [UInt8])])
    func `a PPM has its pixels`(header: String, body: [UInt8], bytes: [UInt8]) throws {
        let pixels = try #require(Pixels(ppm: Data(header.utf8) + body))
        #expect(pixels == Pixels(width: 2, height: 1, bytes: bytes))
    }

    @Test(arguments: [
        "", "P6", "P6\n2 1\n255\n", "P6\n2 1\n255\n12345", "P6\n2 1\n255\n1234567", "P6\n0 1\n255\n",
        "P6\n2 1\n65535\n123456",
        "P6\n99999999 99999999\n255\n", "P3\n1 1\n255\n1 2 3", "P6\nx", "P6\n-1 1\n255\n", "P6\n#",
    ])
    func `other bytes are no picture`(text: String) {
        #expect(Pixels(ppm: Data(text.utf8)) == nil)
    }

    @Test func `a placeholder is scaled smoothly`() throws {
        let placeholder = try #require(Placeholder(Data([0x21, 0, 0, 0, 200, 100, 0])))
        let pixels = Pixels(placeholder, width: 4, height: 2)
        #expect((0..<4).map { pixels[$0, 0].red } == [0, 50, 150, 200])
        #expect((0..<4).map { pixels[$0, 1].green } == [0, 25, 75, 100])
    }

    @Test func `a placeholder of one pixel fills the box`() throws {
        let placeholder = try #require(Placeholder(Data([0x11, 1, 2, 3])))
        #expect(Pixels(placeholder, width: 2, height: 2).bytes == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
    }
}
