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

    /// An AVIF with these properties of its items and references between them.
    private static func avif(_ codes: Bytes, depth: UInt8? = 0, references: Bytes = []) -> PictureColours {
        let coding = depth.map { AVIFBytes.box("av1C", [0x81, 0, $0, 0]) } ?? []
        let properties = AVIFBytes.box("colr", ascii("nclx") + codes) + coding
        return PictureColours(
            of: Data(
                AVIFBytes.brands()
                    + AVIFBytes.meta(references, AVIFBytes.box("iprp", AVIFBytes.box("ipco", properties)))))
    }

    @Test func `what libheif shows in other colours than browsers is not exact`() {
        let (full, limited, grey) = (
            [0, 1, 0, 13, 0, 1, 0x80] as Bytes, [0, 1, 0, 13, 0, 1, 0] as Bytes, 0x10 as UInt8
        )
        #expect(Self.avif(full).isExact && Self.avif(limited).isExact && Self.avif(full, depth: grey).isExact)
        #expect(!Self.avif(limited, depth: grey).isExact)
        #expect(Self.avif(limited, depth: nil).isExact)
        #expect(!Self.avif([0, 1, 0, 13, 0, 8, 0x80]).isExact)
        let premultiplied = AVIFBytes.fullBox("iref", AVIFBytes.box("prem", be16(1) + be16(1) + be16(2)))
        let thumbnail = AVIFBytes.fullBox("iref", AVIFBytes.box("thmb", be16(1) + be16(1) + be16(2)))
        #expect(!Self.avif(full, references: premultiplied).isExact)
        #expect(Self.avif(full, references: thumbnail).isExact)
    }

    @Test(arguments: [(3, 3, true), (3, 4, false), (2, 4, true)])
    func `more transparencies than colours of a palette are not exact`(
        colour: UInt8, transparencies: Int, isExact: Bool
    ) {
        let png =
            PNGBytes.signature + PNGBytes.header(colour: colour) + PNGBytes.chunk("PLTE", zeros(9))
            + PNGBytes.chunk("tRNS", zeros(transparencies)) + PNGBytes.data + PNGBytes.end
        #expect(PictureColours(of: Data(png)).isExact == isExact)
    }

    @Test func `a slice of a larger buffer is read from its own beginning`() {
        let file = Data(Self.described)
        let slice = (Data(count: 10) + file).dropFirst(10)
        #expect(PictureColours(of: slice).profile == PictureColours(of: file).profile)
        #expect(PictureColours(of: file).profile != nil)
    }
}
