import Foundation
import RPC

/// The metadata of a picture that import uses: when it was taken, and where. Reads what it finds and ignores what it does not
/// understand: a picture is complete without it.
struct PictureMetadata {
    /// The bytes of the picture.
    private(set) var bytes: [UInt8]

    init(_ data: Data) { bytes = Array(data) }

    /// The beginning of a file has the metadata.
    private static let searchedBytes = 1 << 20

    /// When the picture in a file was taken; nil when that is not known.
    static func date(ofFile path: String) -> Date? {
        InputFile(path: path).beginning(searchedBytes).flatMap { PictureMetadata($0).takenAt }
    }

    // MARK: When

    /// By Exif: when the picture was taken, else when it was digitised. Without a time zone the time counts as UTC.
    var takenAt: Date? {
        for block in exifBlocks {
            guard let reader = TIFFReader(bytes, block), let first = reader.firstDirectory else { continue }
            let exif = reader.entry(Tag.exif, in: first).flatMap { reader.offset($0) }
            for tag in [Tag.takenAt, Tag.digitisedAt] {
                guard let exif, let entry = reader.entry(tag, in: exif), let text = reader.text(entry) else { continue }
                let zone = reader.entry(Tag.offset, in: exif).flatMap { reader.text($0) } ?? "Z"
                if let date = Self.date(text, zone) { return date }
            }
        }
        return nil
    }

    /// `2021:01:31 12:00:00`.
    private static func date(_ text: String, _ zone: String) -> Date? {
        let parts = text.split(whereSeparator: { ": ".contains($0) })
        guard parts.count == 6, text.utf8.count == 19 else { return nil }
        let day = parts[..<3].joined(separator: "-")
        let time = parts[3...].joined(separator: ":")
        let format = Date.ISO8601FormatStyle(timeZone: .gmt)
        guard let date = (try? format.parse("\(day)T\(time)\(zone)")) ?? (try? format.parse("\(day)T\(time)Z")),
            date.timeIntervalSince1970 > 0
        else { return nil }
        return date
    }

    // MARK: Where

    /// Overwrites the position in the metadata with zeros and spaces, and nothing else.
    /// - Returns: whether there was one.
    mutating func erasePosition() -> Bool {
        let before = bytes
        var isFound = false
        for block in exifBlocks {
            guard let reader = TIFFReader(bytes, block), let first = reader.firstDirectory,
                let entry = reader.entry(Tag.position, in: first), let directory = reader.offset(entry)
            else { continue }
            for range in reader.ranges(ofDirectory: directory) where bytes[range].contains(where: { $0 != 0 }) {
                isFound = true
                for index in range { bytes[index] = 0 }
            }
        }
        if eraseXMPPosition() { isFound = true }
        if isFound { updatePNGChecksums(since: before) }
        return isFound
    }

    /// The values of `exif:GPSLatitude` and its kind, as attributes and as elements.
    private mutating func eraseXMPPosition() -> Bool {
        var isFound = false
        var start = 0
        let name = Array("exif:GPS".utf8)
        while let place = Self.find(name, in: bytes, from: start) {
            start = place + name.count
            guard let end = bytes[start...].firstIndex(where: { !Self.isOfName($0) }) else { break }
            // `="…"`, or `>…<`.
            var value = end
            var close: UInt8 = UInt8(ascii: "<")
            if bytes[end] == UInt8(ascii: "="), end + 1 < bytes.count {
                close = bytes[end + 1]
                value = end + 2
                guard close == UInt8(ascii: "\"") || close == UInt8(ascii: "'") else { continue }
            } else if bytes[end] == UInt8(ascii: ">") {
                value = end + 1
            } else {
                continue
            }
            guard let last = bytes[value...].prefix(Self.longestValue).firstIndex(of: close) else { continue }
            for index in value..<last where bytes[index] != UInt8(ascii: " ") {
                bytes[index] = UInt8(ascii: " ")
                isFound = true
            }
            start = last
        }
        return isFound
    }

    private static let longestValue = 256

    private static func isOfName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        let data = bytes.withUnsafeBytes { Data($0[start...]) }
        return data.range(of: Data(pattern)).map { $0.lowerBound + start }
    }

    // MARK: Containers

    private enum Tag {
        static let exif: UInt16 = 0x8769
        static let position: UInt16 = 0x8825
        static let takenAt: UInt16 = 0x9003
        static let digitisedAt: UInt16 = 0x9004
        static let offset: UInt16 = 0x9011
    }

    /// Where blocks of Exif begin: behind the mark of JPEG and HEIC, and the names of the chunks of WebP and PNG.
    private var exifBlocks: [Int] {
        var blocks: [Int] = []
        var marks = [("Exif\0\0", 0), ("EXIF", 4), ("eXIf", 0)]
        // HEIC and AVIF may omit the mark.
        if bytes.count > 12, bytes[4..<8].elementsEqual("ftyp".utf8) { marks += [("II*\0", -4), ("MM\0*", -4)] }
        for (mark, gap) in marks {
            let mark = Array(mark.utf8)
            var start = 0
            while let place = Self.find(mark, in: bytes, from: start), blocks.count < Self.mostBlocks {
                start = place + mark.count
                blocks.append(start + gap)
            }
        }
        return blocks
    }

    private static let mostBlocks = 64

    /// PNG has a checksum for each chunk (PNG 3rd edition, §5.3). Those of other chunks stay, also wrong ones.
    private mutating func updatePNGChecksums(since before: [UInt8]) {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return }
        var start = 8
        while start + 12 <= bytes.count {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = start + 8 + length
            guard end + 4 <= bytes.count else { return }
            let chunk = start + 4..<end
            if bytes[chunk] != before[chunk] {
                let sum = Bytes(Data(bytes[chunk])).crc32
                withUnsafeBytes(of: sum.bigEndian) { bytes.replaceSubrange(end..<end + 4, with: $0) }
            }
            start = end + 4
        }
    }
}

/// Reads the directories of a TIFF structure, which Exif is.
private struct TIFFReader {
    private let bytes: [UInt8]
    private let start: Int
    private let isLittleEndian: Bool

    struct Entry {
        let kind: UInt16
        let count: Int

        /// Where the value is, or the offset of a longer one.
        let place: Int
    }

    init?(_ bytes: [UInt8], _ start: Int) {
        (self.bytes, self.start) = (bytes, start)
        guard start >= 0, start + 8 <= bytes.count else { return nil }
        switch Array(bytes[start..<start + 4]) {
        case [0x49, 0x49, 42, 0]: isLittleEndian = true
        case [0x4D, 0x4D, 0, 42]: isLittleEndian = false
        default: return nil
        }
    }

    /// The bytes of a value, by the kind of the entry (TIFF 6.0, section 2).
    private static let sizes: [UInt16: Int] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8,
    ]

    /// The place of the first directory.
    var firstDirectory: Int? { number(start + 4, 4).map { start + $0 } }

    private func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        let part = bytes[place..<place + count]
        return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }

    private func entries(_ directory: Int) -> [(tag: UInt16, entry: Entry)] {
        guard let count = number(directory, 2) else { return [] }
        return (0..<min(count, 512)).compactMap { index in
            let place = directory + 2 + 12 * index
            guard let tag = number(place, 2), let kind = number(place + 2, 2), let count = number(place + 4, 4),
                place + 12 <= bytes.count
            else { return nil }
            return (UInt16(tag), Entry(kind: UInt16(kind), count: count, place: place + 8))
        }
    }

    func entry(_ tag: UInt16, in directory: Int) -> Entry? { entries(directory).first { $0.tag == tag }?.entry }

    /// The place that an entry points to.
    func offset(_ entry: Entry) -> Int? { number(entry.place, 4).map { start + $0 } }

    func text(_ entry: Entry) -> String? {
        guard entry.kind == 2, entry.count > 0, let place = value(entry) else { return nil }
        let text = bytes[place..<place + entry.count].prefix { $0 != 0 }
        return String(validating: text, as: UTF8.self)
    }

    /// Where the bytes of a value begin; nil if they are not in the file.
    private func value(_ entry: Entry) -> Int? {
        guard let size = Self.sizes[entry.kind], entry.count <= bytes.count else { return nil }
        let place = size * entry.count <= 4 ? entry.place : offset(entry)
        guard let place, place >= 0, place + size * entry.count <= bytes.count else { return nil }
        return place
    }

    private func length(_ entry: Entry) -> Int {
        (Self.sizes[entry.kind] ?? 0) * entry.count
    }

    /// Where a directory and the values of its entries are.
    func ranges(ofDirectory directory: Int) -> [Range<Int>] {
        let all = entries(directory)
        let values = all.compactMap { _, entry in
            length(entry) > 4 ? value(entry).map { $0..<$0 + length(entry) } : nil
        }
        guard !all.isEmpty else { return [] }
        // The number of entries too, so that the directory is empty.
        return values + [directory..<directory + 2 + 12 * all.count]
    }
}
