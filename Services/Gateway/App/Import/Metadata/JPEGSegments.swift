import Foundation

/// The segments of metadata in a JPEG file, which may have several pictures (CIPA DC-007) and a video behind the first.
enum JPEGSegments {
    static func isJPEG(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: [0xFF, 0xD8, 0xFF]) }

    /// So many pictures are searched.
    private static let mostPictures = 16

    static func metadata(in bytes: [UInt8]) -> [MetadataBlock] {
        var blocks: [MetadataBlock] = []
        var picture: Range<Int>? = 0..<3
        for _ in 0..<mostPictures {
            guard let start = picture?.lowerBound else { break }
            let segments = segments(in: bytes, from: start + 2)
            blocks += metadata(of: segments, in: bytes)
            let end = segments.last?.content.upperBound ?? start + 3
            // Nothing in the data of a picture has these bytes.
            picture = bytes.range(of: [0xFF, 0xD8, 0xFF], from: end)
            if start == 0 { blocks += MetadataBlock.video(in: bytes, from: end) }
        }
        return blocks
    }

    private typealias Segment = (marker: UInt8, content: Range<Int>)

    /// The segments in front of a picture's data.
    private static func segments(in bytes: [UInt8], from start: Int) -> [Segment] {
        var (segments, place) = ([Segment](), start)
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if marker == 0xFF {
                place += 1
                continue
            }
            // Without a length: TEM and RSTn.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) {
                place += 2
                continue
            }
            guard let length = bytes.bigEndian(at: place + 2, 2), length >= 2, marker != 0xDA else { break }
            segments.append((marker, place + 4..<min(place + 2 + length, bytes.count)))
            place += 2 + length
        }
        return segments
    }

    private static func metadata(of segments: [Segment], in bytes: [UInt8]) -> [MetadataBlock] {
        var blocks: [MetadataBlock] = []
        var (exif, photoshop) = ([Range<Int>](), [Range<Int>]())
        var extended: [ArraySlice<UInt8>: [(offset: Int, content: Range<Int>)]] = [:]
        for (marker, content) in segments {
            func rest(behind mark: String, _ count: Int = 0) -> Range<Int>? {
                let start = content.lowerBound + mark.utf8.count + count
                return bytes.has(mark, at: content.lowerBound) && start <= content.upperBound
                    ? start..<content.upperBound : nil
            }
            let hasStructure = marker == 0xE1 && ExifBlock.start(in: Array(bytes[content])) != nil
            // Readers accept any byte behind the mark, and other marks.
            if marker == 0xE1, let part = rest(behind: "Exif\0", 1) ?? (hasStructure ? content : nil) {
                // A segment without a structure of its own continues the last one.
                if hasStructure {
                    if !exif.isEmpty { blocks.append(MetadataBlock(kind: .exif, place: .ranges(exif))) }
                    exif = []
                }
                exif.append(part)
            } else if marker == 0xE1, let part = rest(behind: "http://ns.adobe.com/xmp/extension/\0", 40) {
                // By the 32 characters of an id, the length of all parts, and the offset of this one.
                let offset = bytes.bigEndian(at: part.lowerBound - 4, 4) ?? 0
                extended[bytes[part.lowerBound - 40..<part.lowerBound - 8], default: []].append((offset, part))
            } else if marker == 0xED, let part = rest(behind: "Photoshop 3.0\0") {
                photoshop.append(part)
            } else if marker == 0xE1, let packet = rest(behind: "http://ns.adobe.com/xap/1.0/\0") {
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([packet])))
            } else if (0xE0...0xEF).contains(marker), let first = bytes[content].firstIndex(of: UInt8(ascii: "<")),
                bytes[content].range(of: Array("rdf:RDF".utf8)) != nil
            {
                // XMP without its mark.
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([first..<content.upperBound])))
            }
        }
        if !exif.isEmpty { blocks.append(MetadataBlock(kind: .exif, place: .ranges(exif))) }
        for parts in extended.values {
            let ranges = parts.sorted { $0.offset < $1.offset }.map(\.content)
            blocks.append(MetadataBlock(kind: .xmp, place: .ranges(ranges)))
        }
        if !photoshop.isEmpty { blocks.append(MetadataBlock(kind: .photoshop, place: .ranges(photoshop))) }
        return blocks
    }
}

/// Photoshop's resources, one behind the other (Photoshop File Formats, "Image Resource Blocks").
enum PhotoshopResources {
    private static let signatures = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]

    static func erasePosition(in bytes: inout [UInt8]) -> Bool {
        var (start, isFound) = (0, false)
        while let id = bytes.bigEndian(at: start + 4, 2), let name = bytes.bigEndian(at: start + 6, 1) {
            // The name and the content have an even length.
            let place = start + 6 + (name + 2) / 2 * 2
            guard Self.signatures.contains(where: { bytes.has($0, at: start) }),
                let length = bytes.bigEndian(at: place, 4)
            else { break }
            let content = place + 4..<min(place + 4 + length, bytes.count)
            var part = Array(bytes[content])
            let hasPosition =
                switch id {
                case 0x0422, 0x0423: ExifBlock.erasePosition(in: &part, isEmbedded: true)
                case 0x0424: XMPPacket.erasePosition(in: &part)
                default: false
                }
            if hasPosition {
                bytes.replaceSubrange(content, with: part)
                isFound = true
            }
            start = place + 4 + (length + 1) / 2 * 2
        }
        return isFound
    }
}
