import Foundation

/// Exif: directories in a TIFF structure (CIPA DC-008).
struct ExifBlock {
    let bytes: [UInt8]
    private let isLittleEndian: Bool

    /// The marks in front of the structure have at most so many bytes.
    private static let longestMark = 64

    /// - Parameter content: the structure, and marks in front of it.
    init?(_ content: [UInt8]) {
        guard let start = Self.start(in: content) else { return nil }
        bytes = Array(content[start...])
        isLittleEndian = bytes[0] == UInt8(ascii: "I")
    }

    /// Where the structure begins; nil without one.
    static func start(in content: [UInt8]) -> Int? {
        (0...longestMark).first { content.has("II*\0", at: $0) || content.has("MM\0*", at: $0) }
    }

    struct Entry {
        let tag: Int
        let kind: Int
        let count: Int

        /// Where the entry is.
        let place: Int
    }

    private enum Tag {
        static let exif = 0x8769
        static let parts = 0x014A
        static let interoperability = 0xA005

        /// XMP, Photoshop's resources, and texts and notes of cameras and programs.
        static let embedded: [Int: MetadataBlock.Kind] = [
            700: .xmp, 0x8649: .photoshop, 0x010E: .unknown, 0x9286: .unknown, 0x927C: .unknown, 0x9C9C: .unknown,
        ]
        static let position = 0x8825
        static let takenAt = (date: 0x9003, zone: 0x9011)
        static let digitisedAt = (date: 0x9004, zone: 0x9012)
    }

    // MARK: When

    /// When the picture was taken, else when it was digitised.
    var takenAt: Date? {
        let entries = directories.flatMap(entries)
        return [Tag.takenAt, Tag.digitisedAt].lazy.compactMap { tags -> Date? in
            guard let text = entries.first(where: { $0.tag == tags.date }).flatMap(text) else { return nil }
            let zone = [tags.zone, Tag.takenAt.zone].lazy
                .compactMap { tag in entries.first { $0.tag == tag }.flatMap(self.text) }.first
            return zone.flatMap { ImportDate.parse(text + $0) } ?? ImportDate.parse(text)
        }.first
    }

    // MARK: Where

    /// Overwrites the directories of positions with zeros.
    /// - Parameter depth: in how many other metadata the content is.
    /// - Returns: whether there is a position.
    static func erasePosition(in content: inout [UInt8], depth: Int = 0) -> Bool {
        guard let start = start(in: content), let block = ExifBlock(content) else { return false }
        // Nikon's notes are a structure of their own.
        let ranges =
            block.positions + block.placeNames + (content.has("Nikon\0", at: 0) ? block.nikonLocation : [])
        for range in ranges { for index in range { content[start + index] = 0 } }
        var isFound = !ranges.isEmpty
        for (range, kind) in block.embedded {
            let place = start + range.lowerBound..<start + range.upperBound
            let part = MetadataBlock(kind: kind, place: .ranges([place]))
            if part.erasePosition(in: &content, depth: depth + 1) { isFound = true }
        }
        // Previews have metadata of their own.
        return JPEGSegments.erasePosition(ofPicturesIn: &content, depth: depth + 1) || isFound
    }

    /// Where other metadata and texts are.
    private var embedded: [(Range<Int>, MetadataBlock.Kind)] {
        directories.flatMap(entries).compactMap { entry in
            guard let kind = Tag.embedded[entry.tag], let range = value(entry) else { return nil }
            return (range, kind)
        }
    }

    /// The tags of a directory with a position.
    private static let positionTags = 0...0x1F

    /// The tags with a place: latitude, longitude and altitude, those of the destination, and the name of the area.
    private static let tellingTags: Set<Int> = [2, 4, 6, 20, 22, 28]

    /// Where the directories of positions and their values are.
    private var positions: [Range<Int>] {
        let pointers = directories.flatMap(entries).filter { $0.tag == Tag.position }
        return pointers.flatMap(numbers).flatMap { directory -> [Range<Int>] in
            let all = entries(directory)
            // What else a wrong pointer meets stays.
            let own = all.filter { Self.positionTags.contains($0.tag) }
            let values = own.compactMap { value($0) }
            let isTelling = own.contains { entry in
                Self.tellingTags.contains(entry.tag) && value(entry).map { bytes[$0].contains { $0 != 0 } } == true
            }
            guard isTelling else { return [] }
            let count = own.count == all.count ? [directory..<directory + 2] : []
            return count + values + own.map { $0.place..<$0.place + 12 }
        }
    }

    // MARK: Structure

    private static let mostDirectories = 256

    /// The first directory and those behind it, that of Exif, and those of parts of the picture.
    var directories: [Int] {
        var (found, waiting) = ([Int](), [number(4, 4) ?? 0])
        while let place = waiting.popLast(), found.count < Self.mostDirectories {
            guard place > 0, !found.contains(place), let count = number(place, 2) else { continue }
            found.append(place)
            waiting.append(number(place + 2 + 12 * count, 4) ?? 0)
            waiting += entries(place).filter { [Tag.exif, Tag.parts, Tag.interoperability].contains($0.tag) }.flatMap(
                numbers)
        }
        return found
    }

    /// The bytes of a value, by the kind of the entry (TIFF 6.0, section 2; CIPA DC-008-2023 adds 129).
    private static let sizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 129: 1,
    ]

    private func number(_ place: Int, _ length: Int) -> Int? {
        isLittleEndian ? bytes.littleEndian(at: place, length) : bytes.bigEndian(at: place, length)
    }

    func entries(_ directory: Int) -> [Entry] {
        (0..<(number(directory, 2) ?? 0)).prefix(512).compactMap { index in
            let place = directory + 2 + 12 * index
            guard let tag = number(place, 2), let kind = number(place + 2, 2), let count = number(place + 4, 4),
                place + 12 <= bytes.count
            else { return nil }
            return Entry(tag: tag, kind: kind, count: count, place: place)
        }
    }

    /// Where the bytes of a value are; nil if they are not in the block.
    /// - Parameter base: from where the places of values count.
    func value(_ entry: Entry, from base: Int = 0) -> Range<Int>? {
        guard let length = length(entry) else { return nil }
        let start = offset(entry).map { base + $0 } ?? entry.place + 8
        return start + length <= bytes.count ? start..<start + length : nil
    }

    /// Where the value is, from a base; nil for one that is in the entry.
    func offset(_ entry: Entry) -> Int? {
        length(entry).flatMap { $0 <= 4 ? nil : number(entry.place + 8, 4) }
    }

    private func length(_ entry: Entry) -> Int? {
        guard let size = Self.sizes[entry.kind], entry.count <= bytes.count else { return nil }
        return size * entry.count
    }

    /// The numbers of an entry that points to directories.
    private func numbers(_ entry: Entry) -> [Int] {
        guard let range = value(entry), let size = Self.sizes[entry.kind], size == 2 || size == 4 else { return [] }
        return stride(from: range.lowerBound, to: range.upperBound, by: size).prefix(Self.mostDirectories)
            .compactMap { number($0, size) }
    }

    private func text(_ entry: Entry) -> String? {
        guard entry.kind == 2, let range = value(entry) else { return nil }
        return String(validating: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
    }
}
