/// The items of metadata in a file of HEIF or AVIF (ISO/IEC 14496-12, §8.11), and its video.
enum HEIFItems {
    /// So many items of metadata are searched, each in so many parts.
    private static let (mostItems, mostExtents) = (16, 64)

    static func metadata(in bytes: [UInt8]) -> [MetadataBlock] {
        let boxes = boxes(in: bytes, 0..<bytes.count)
        // XMP may be in a box of its own, and a moving picture has a video.
        let video = boxes.filter { ["moov", "mpvd", "uuid"].contains($0.name) }.map {
            MetadataBlock(kind: .video, place: .ranges([$0.start..<$0.content.upperBound]))
        }
        guard let meta = boxes.first(where: { $0.name == "meta" })?.content, meta.count >= 4 else { return video }
        let parts = Self.boxes(in: bytes, meta.lowerBound + 4..<meta.upperBound)
        func part(_ name: String) -> Range<Int>? { parts.first { $0.name == name }?.content }
        guard let information = part("iinf"), let locations = part("iloc") else { return video }
        let kinds = kinds(in: bytes, information)
        let places = places(in: bytes, locations, idat: part("idat")?.lowerBound)
        let items = places.lazy.compactMap { id, ranges in
            kinds[id].map { MetadataBlock(kind: $0, place: .ranges(ranges)) }
        }
        return video + items.prefix(mostItems)
    }

    /// The identity of a box `uuid` with XMP.
    static let xmpID: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]

    private typealias Box = (name: String, start: Int, content: Range<Int>)

    private static func boxes(in bytes: [UInt8], _ range: Range<Int>) -> [Box] {
        var (boxes, start) = ([Box](), range.lowerBound)
        while start + 8 <= range.upperBound, var length = bytes.bigEndian(at: start, 4) {
            var head = 8
            if length == 1 {
                guard let long = bytes.bigEndian(at: start + 8, 8) else { break }
                (length, head) = (long, 16)
            } else if length == 0 {
                length = range.upperBound - start
            }
            guard length >= head, length <= range.upperBound - start else { break }
            let name = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            boxes.append((name, start, start + head..<start + length))
            start += length
        }
        return boxes
    }

    /// The items of metadata by their id.
    private static func kinds(in bytes: [UInt8], _ information: Range<Int>) -> [Int: MetadataBlock.Kind] {
        var kinds: [Int: MetadataBlock.Kind] = [:]
        // A version, flags and the number of entries, which has four bytes from version 1 on.
        let first = information.lowerBound + (bytes.bigEndian(at: information.lowerBound, 1) == 0 ? 6 : 8)
        guard first <= information.upperBound else { return kinds }
        for (name, _, entry) in boxes(in: bytes, first..<information.upperBound) where name == "infe" {
            let size = bytes.bigEndian(at: entry.lowerBound, 1) == 3 ? 4 : 2
            let kind = entry.lowerBound + 4 + size + 2
            guard let id = bytes.bigEndian(at: entry.lowerBound + 4, size) else { continue }
            if bytes.has("Exif", at: kind) { kinds[id] = .exif }
            // Of another content than XMP, nothing is found.
            if bytes.has("mime", at: kind) { kinds[id] = .xmp }
        }
        return kinds
    }

    /// Where the items are.
    private static func places(in bytes: [UInt8], _ locations: Range<Int>, idat: Int?) -> [(
        id: Int, ranges: [Range<Int>]
    )] {
        var place = locations.lowerBound
        func next(_ length: Int) -> Int? {
            defer { place += length }
            return place + length <= locations.upperBound ? bytes.bigEndian(at: place, length) : nil
        }
        guard let version = next(1), next(3) != nil, let sizes = next(2), let count = next(version < 2 ? 2 : 4) else {
            return []
        }
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ $0 <= 8 }) else { return [] }
        var items: [(id: Int, ranges: [Range<Int>])] = []
        for _ in 0..<count {
            guard let id = next(version < 2 ? 2 : 4), let method = version == 0 ? 0 : next(2), next(2) != nil,
                let base = next(baseSize), let extents = next(2), extents <= mostExtents
            else { break }
            var ranges: [Range<Int>] = []
            for _ in 0..<extents {
                guard next(indexSize) != nil, let offset = next(offsetSize), let length = next(lengthSize) else {
                    break
                }
                guard let origin = method & 15 == 0 ? 0 : idat, (0...bytes.count).contains(base),
                    (0...bytes.count).contains(offset)
                else { continue }
                let start = origin + base + offset
                // Without a length, to the end of the file.
                let end = length <= 0 || length > bytes.count - start ? bytes.count : start + length
                if start < end { ranges.append(start..<end) }
            }
            items.append((id, ranges))
        }
        return items
    }
}
