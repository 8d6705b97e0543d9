import Foundation
import Testing

@testable import Processes

/// What colours are, `VipsTests` prove with real pictures.
struct PictureColoursTests {
    private static let described =
        PNGBytes.signature + PNGBytes.header() + PNGBytes.chunk("cHRM", (0..<8).flatMap { be32($0 * 10_000 + 1) })
        + PNGBytes.chunk("gAMA", be32(1)) + PNGBytes.chunk("cICP", [9, 8, 0, 1]) + PNGBytes.data + PNGBytes.end
    private static let pictures = SampleImage.all.map(\.bytes) + [Data(described)]

    @Test(arguments: pictures) func `damaged bytes are no more than other colours`(data: Data) {
        let beginning = data.prefix(1_000)
        for length in 0..<beginning.count { _ = PictureColours(of: beginning.prefix(length)) }
        for index in beginning.indices {
            for byte in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = beginning
                changed[index] = byte
                _ = PictureColours(of: changed)
            }
        }
    }

    @Test func `a slice of a larger buffer is read from its own beginning`() {
        let file = Data(Self.described)
        let slice = (Data(count: 10) + file).dropFirst(10)
        #expect(PictureColours(of: slice).profile == PictureColours(of: file).profile)
        #expect(PictureColours(of: file).profile != nil)
    }
}
