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
            if start == 0 { blocks.append(MetadataBlock(kind: .video, place: .ranges([end..<bytes.count]))) }
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
            guard let length = bytes.bigEndian(at: place + 2, 2), length >= 2, marker != 0xDA else { break }
            segments.append((marker, place + 4..<min(place + 2 + length, bytes.count)))
            place += 2 + length
        }
        return segments
    }

    private static func metadata(of segments: [Segment], in bytes: [UInt8]) -> [MetadataBlock] {
        var blocks: [MetadataBlock] = []
        var (extended, photoshop) = ([(offset: Int, content: Range<Int>)](), [Range<Int>]())
        for (marker, content) in segments {
            func rest(behind mark: String, _ count: Int = 0) -> Range<Int>? {
                let start = content.lowerBound + mark.utf8.count + count
                return bytes.has(mark, at: content.lowerBound) && start <= content.upperBound
                    ? start..<content.upperBound : nil
            }
            // Readers accept any byte behind the mark.
            if marker == 0xE1, let exif = rest(behind: "Exif\0", 1) {
                blocks.append(MetadataBlock(kind: .exif, place: .ranges([exif])))
            } else if marker == 0xE1, let xmp = rest(behind: "http://ns.adobe.com/xap/1.0/\0") {
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([xmp])))
            } else if marker == 0xE1, let part = rest(behind: "http://ns.adobe.com/xmp/extension/\0", 40) {
                extended.append((bytes.bigEndian(at: part.lowerBound - 4, 4) ?? 0, part))
            } else if marker == 0xED, let part = rest(behind: "Photoshop 3.0\0") {
                photoshop.append(part)
            }
        }
        let parts = extended.sorted { $0.offset < $1.offset }.map(\.content)
        if !parts.isEmpty { blocks.append(MetadataBlock(kind: .xmp, place: .ranges(parts))) }
        if !photoshop.isEmpty { blocks.append(MetadataBlock(kind: .photoshop, place: .ranges(photoshop))) }
        return blocks
    }
}

/// Photoshop's resources, one behind the other (Photoshop File Formats, "Image Resource Blocks").
enum PhotoshopResources {
    static func erasePosition(in bytes: inout [UInt8]) -> Bool {
        var (start, isFound) = (0, false)
        while let id = bytes.bigEndian(at: start + 4, 2), let name = bytes.bigEndian(at: start + 6, 1) {
            // The name and the content have an even length.
            let place = start + 6 + (name + 2) / 2 * 2
            guard bytes.has("8BIM", at: start), let length = bytes.bigEndian(at: place, 4) else { break }
            let content = place + 4..<min(place + 4 + length, bytes.count)
            guard content.lowerBound <= content.upperBound else { break }
            let kind: MetadataBlock.Kind? = [0x0422: .exif, 0x0423: .exif, 0x0424: .xmp][id]
            var part = Array(bytes[content])
            if let kind, kind.erasePosition(in: &part) {
                bytes.replaceSubrange(content, with: part)
                isFound = true
            }
            start = place + 4 + (length + 1) / 2 * 2
        }
        return isFound
    }
}

/// The position in a video, as text of ISO 6709.
enum VideoPosition {
    static func erase(in bytes: inout [UInt8]) -> Bool {
        let marks = [[0xA9] + Array("xyz".utf8), Array("location.ISO6709".utf8)]
        guard marks.contains(where: { bytes.range(of: $0, from: 0) != nil }) else { return false }
        var isFound = false
        for index in bytes.indices where isSign(bytes[index]) {
            var (end, numbers, decimals) = (index, 0, 0)
            while end < bytes.count, isSign(bytes[end]) {
                let digits = bytes[(end + 1)...].prefix(while: isDigit).count
                let point = end + 1 + digits
                let hasPoint = point < bytes.count && bytes[point] == UInt8(ascii: ".")
                let fraction = hasPoint ? bytes[(point + 1)...].prefix(while: isDigit).count : 0
                guard digits > 0 else { break }
                numbers += 1
                decimals += fraction
                end = fraction > 0 ? point + 1 + fraction : point
            }
            // Two numbers with decimals, and the height.
            guard numbers >= 2, decimals >= 4 else { continue }
            for place in index..<end where isDigit(bytes[place]) { bytes[place] = UInt8(ascii: "0") }
            isFound = true
        }
        return isFound
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
