import Foundation

/// The segments of metadata in a JPEG file, which may have several pictures (CIPA DC-007) and a video behind the first.
enum JPEGSegments {
    static func isJPEG(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: signature) }

    /// So many pictures are searched.
    private static let mostPictures = 16

    /// Nothing in the data of a picture has these bytes.
    private static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

    static func metadata(in bytes: [UInt8]) -> [MetadataBlock] {
        var (blocks, video) = ([MetadataBlock](), [MetadataBlock]())
        var picture = bytes.range(of: signature, from: 0)
        for _ in 0..<mostPictures {
            guard let start = picture?.lowerBound else { break }
            let segments = segments(in: bytes, from: start + 2)
            blocks += metadata(of: segments, in: bytes)
            let end = segments.last?.content.upperBound ?? start + 3
            picture = bytes.range(of: signature, from: end)
            if start == 0 { video = MetadataBlock.video(in: bytes, from: end) }
        }
        return blocks + video
    }

    /// Overwrites the positions in the metadata of previews.
    /// - Parameters:
    ///   - bytes: metadata with pictures among them.
    ///   - depth: in how many other metadata the pictures are.
    static func erasePosition(ofPicturesIn bytes: inout [UInt8], depth: Int) -> Bool {
        metadata(in: bytes).reduce(false) { $1.erasePosition(in: &bytes, depth: depth) || $0 }
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
        var (thermal, action) = ([Range<Int>](), [Range<Int>]())
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
            } else if marker == 0xED,
                let part = rest(behind: "Photoshop 3.0\0") ?? rest(behind: "Adobe_Photoshop2.5:", 8)
            {
                photoshop.append(part)
            } else if marker == 0xE1, let packet = rest(behind: "http://ns.adobe.com/xap/1.0/\0") {
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([packet])))
            } else if (0xE0...0xEF).contains(marker), let first = bytes[content].firstIndex(of: UInt8(ascii: "<")),
                bytes[content].range(of: Array("rdf:RDF".utf8)) != nil
            {
                // XMP without its mark.
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([first..<content.upperBound])))
            } else if marker == 0xE1, let part = rest(behind: "FLIR\0", 3) {
                // Behind the version, the number of the segment and the last number.
                thermal.append(part)
            } else if marker == 0xE6, let part = rest(behind: "GoPro\0") {
                action.append(part)
            } else if marker == 0xFE || (0xE0...0xEF).contains(marker), rest(behind: "ICC_PROFILE\0") == nil {
                blocks.append(MetadataBlock(kind: .unknown, place: .ranges([content])))
            }
        }
        if !exif.isEmpty { blocks.append(MetadataBlock(kind: .exif, place: .ranges(exif))) }
        for parts in extended.values {
            let ranges = parts.sorted { $0.offset < $1.offset }.map(\.content)
            blocks.append(MetadataBlock(kind: .xmp, place: .ranges(ranges)))
        }
        if !photoshop.isEmpty { blocks.append(MetadataBlock(kind: .photoshop, place: .ranges(photoshop))) }
        if !action.isEmpty { blocks.append(MetadataBlock(kind: .action, place: .ranges(action))) }
        if !thermal.isEmpty { blocks.append(MetadataBlock(kind: .thermal, place: .ranges(thermal))) }
        return blocks
    }
}
