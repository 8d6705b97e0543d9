/// The extensions of metadata in a GIF file (GIF89a, sections 24 and 26).
enum GIFBlocks {
    static func metadata(in bytes: [UInt8]) -> [MetadataBlock] {
        var blocks: [MetadataBlock] = []
        // Behind the screen descriptor and its colours.
        var start = 13 + colours(bytes, at: 10)
        while start + 1 < bytes.count, bytes[start] != trailer {
            switch (bytes[start], bytes[start + 1]) {
            case (0x21, 0xFF):
                let parts = subBlocks(in: bytes, from: start + 2)
                if let xmp = rawXMP(in: bytes, from: start + 2) {
                    blocks.append(MetadataBlock(kind: .xmp, place: .ranges([xmp])))
                } else {
                    // Behind the name of the application.
                    blocks.append(MetadataBlock(kind: .unknown, place: .ranges(Array(parts.ranges.dropFirst()))))
                }
                start = parts.end
            case (0x21, 0xFE):
                let parts = subBlocks(in: bytes, from: start + 2)
                blocks.append(MetadataBlock(kind: .unknown, place: .ranges(parts.ranges)))
                start = parts.end
            case (0x21, _): start = subBlocks(in: bytes, from: start + 2).end
            case (0x2C, _):
                // A descriptor, its colours, and the size of the first code.
                start = subBlocks(in: bytes, from: start + 11 + colours(bytes, at: start + 9)).end
            // Encoders put zeros between blocks.
            default: start += 1
            }
        }
        return blocks + MetadataBlock.video(in: bytes, from: start + 1)
    }

    private static let trailer: UInt8 = 0x3B

    /// The bytes of the table of colours that a descriptor announces.
    private static func colours(_ bytes: [UInt8], at place: Int) -> Int {
        guard place < bytes.count, bytes[place] & 0x80 != 0 else { return 0 }
        return 3 << (Int(bytes[place] & 7) + 1)
    }

    /// Where the contents of the blocks are up to an empty one, and where that ends.
    private static func subBlocks(in bytes: [UInt8], from start: Int) -> (ranges: [Range<Int>], end: Int) {
        var (ranges, place) = ([Range<Int>](), start)
        while place < bytes.count, bytes[place] > 0 {
            let next = place + 1 + Int(bytes[place])
            ranges.append(place + 1..<min(next, bytes.count))
            place = next
        }
        return (ranges, place + 1)
    }

    /// XMP in one piece, which ends with bytes that count down (XMP specification, part 3, §1.1.2).
    private static func rawXMP(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        let content = start + 12
        guard bytes.has("\u{B}XMP DataXMP", at: start), content < bytes.count,
            bytes[content] == UInt8(ascii: "<") || bytes[content] == 0xEF,
            let end = bytes.range(of: [0x01, 0xFF, 0xFE, 0xFD], from: content)
        else { return nil }
        return content..<end.lowerBound
    }
}
