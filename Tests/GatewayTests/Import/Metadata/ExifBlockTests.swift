import Foundation
import Testing

@testable import gateway

struct ExifBlockTests {
    private static func erasing(_ bytes: [UInt8]) -> (hadPosition: Bool, bytes: [UInt8]) {
        var content = bytes
        let hadPosition = ExifBlock.erasePosition(in: &content)
        return (hadPosition, content)
    }

    @Test(arguments: [
        ("2021:01:31 12:00:00", "2021-01-31T10:00:00Z"), ("2021-01-31T12:00:00", "2021-01-31T10:00:00Z"),
        ("1970:01:01 02:00:00", "1970-01-01T00:00:00Z"), ("1945:05:08 12:00:00", "1945-05-08T10:00:00Z"),
        ("0000:00:00 00:00:00", nil), ("    :  :     :  :  ", nil), ("2021:13:31 12:00:00", nil),
        ("12345678901234567890", nil),
    ])
    func `a date is read in its time zone`(text: String, date: String?) {
        var bytes = Containers.exif()
        bytes.replaceSubrange(98..<98 + text.utf8.prefix(19).count, with: text.utf8.prefix(19))
        #expect(ExifBlock(bytes)?.takenAt == date.flatMap { try? Date($0, strategy: .iso8601) })
    }

    @Test(arguments: [(4, true), (13, true), (3, false), (2, false)])
    func `a pointer to a position has the kinds of numbers`(kind: Int, isFound: Bool) {
        // A short number is at the other end of its place.
        #expect(Self.erasing(Containers.exif(pointerKind: kind)).hadPosition == isFound)
    }

    @Test func `a position of the preview is erased`() {
        // The first directory becomes an empty one, in front of the one it was.
        let exif = Containers.exif()
        let moved =
            exif.prefix(4) + Containers.bigEndian(173, 4) + exif.dropFirst(8) + [0, 0] + Containers.bigEndian(8, 4)
        #expect(Self.erasing(Array(moved)).hadPosition)
    }

    @Test(arguments: [(0, 1), (9, 2), (29, 2), (1, 2)])
    func `a version, a status or a date alone is no position`(tag: Int, kind: Int) {
        let exif = Containers.exif(gps: [(tag, kind), (16, 2)])
        #expect(Self.erasing(exif) == (false, exif))
    }

    @Test(arguments: [true, false]) func `XMP and Photoshop's resources in it are erased`(isXMP: Bool) {
        let xmp = Array("<x exif:GPSLatitude='38'/>".utf8)
        let resource =
            Array("PHUT".utf8) + [4, 0, 0, 0, 0, 0, 0, 0] + Array("8BIM".utf8) + [4, 0x24, 0, 0]
            + Containers.bigEndian(xmp.count, 4) + xmp
        let content = isXMP ? xmp : resource
        let head =
            [0x4D, 0x4D, 0, 42] + Containers.bigEndian(8, 4) + [0, 1] + Containers.bigEndian(isXMP ? 700 : 0x8649, 2)
        let exif =
            head + [0, 7] + Containers.bigEndian(content.count, 4) + Containers.bigEndian(26, 4) + [0, 0, 0, 0]
            + content
        let (hadPosition, bytes) = Self.erasing(exif)
        #expect(hadPosition)
        #expect(String(decoding: bytes.suffix(26), as: UTF8.self) == "<x exif:GPSLatitude='  '/>")
        #expect(bytes.dropLast(26).elementsEqual(exif.dropLast(26)))
    }

    @Test(arguments: [0x010E, 0x9286, 0x927C]) func `coordinates in its texts are erased`(tag: Int) {
        func exif(_ text: String) -> [UInt8] {
            [0x4D, 0x4D, 0, 42] + Containers.bigEndian(8, 4) + [0, 1] + Containers.bigEndian(tag, 2) + [0, 2]
                + Containers.bigEndian(text.utf8.count, 4) + Containers.bigEndian(26, 4) + [0, 0, 0, 0]
                + Array(text.utf8)
        }
        #expect(Self.erasing(exif("{lat: 38.72}")) == (true, exif("{lat: 00.00}")))
    }

    /// A structure with notes whose directory is behind a head, with a name of a place, a filler, and another text.
    /// - Parameter base: from where the places of the values count, by the place of the notes.
    private static func notes(head: [UInt8], tags: [Int], names: [String], base: (Int) -> Int) -> [UInt8] {
        let (place, first) = (26, head.count + 2 + 12 * tags.count + 4)
        var (entries, values) = ([UInt8](), [UInt8]())
        for (tag, name) in zip(tags, names) {
            let offset = place + first + values.count - base(place)
            entries += Containers.bigEndian(tag, 2) + [0, 7] + Containers.bigEndian(name.utf8.count, 4)
            entries += name.utf8.count <= 4 ? Array(name.utf8) : Containers.bigEndian(offset, 4)
            if name.utf8.count > 4 { values += Array(name.utf8) }
        }
        let note = head + Containers.bigEndian(tags.count, 2) + entries + [0, 0, 0, 0] + values
        return [0x4D, 0x4D, 0, 42] + Containers.bigEndian(8, 4) + [0, 1, 0x92, 0x7C, 0, 7]
            + Containers.bigEndian(note.count, 4) + Containers.bigEndian(place, 4) + [0, 0, 0, 0] + note
    }

    private static let panasonic = Array("Panasonic\0\0\0".utf8)

    @Test(arguments: [
        (panasonic, [0x6D, 0x6F, 0x25], "Lisbon\0", 0), (panasonic, [0x69, 0x80, 0x25], "Portugal", 12),
        (Array("LEICA\0\0\0".utf8), [0x67, 0x6B, 0x25], "Lisbon", 0), ([], [1, 0x31, 0x25], "Lisbon", 0),
        ([], [1, 0x30, 0x25], "Belem\0 Lisboa", 26),
    ])
    func `names of places in the notes of cameras are erased`(head: [UInt8], tags: [Int], name: String, base: Int) {
        func exif(_ name: String, _ other: String) -> [UInt8] {
            let isSamsung = tags[0] == 1
            let names = isSamsung ? ["0100", name, other] : [name, "---\0\0", other]
            return Self.notes(head: head, tags: tags, names: names) { _ in base }
        }
        let (with, without) = (exif(name, "Serial"), exif(String(repeating: "\0", count: name.utf8.count), "Serial"))
        #expect(Self.erasing(with) == (true, without))
        #expect(Self.erasing(without) == (false, without))
    }

    @Test func `the place in Nikon's notes is erased, and its version stays`() {
        func exif(_ place: String) -> [UInt8] {
            let info = Array("0100".utf8) + [1] + Array(place.utf8)
            let inner = Containers.exif([(0x01, 7, Array("0211".utf8)), (0x39, 7, info)])
            return Containers.exif([(0x927C, 7, Array("Nikon\0".utf8) + [2, 0x10, 0, 0] + inner)])
        }
        let empty = exif(String(repeating: "\0", count: 12))
        #expect(Self.erasing(exif("PRT\0Lisbon\0\0")) == (true, empty))
        #expect(Self.erasing(empty) == (false, empty))
    }

    @Test func `notes of other makers, and those with wrong places, stay`() {
        let other = Self.notes(head: Array("Casio\0".utf8), tags: [0x6D, 0x6F], names: ["Lisbon", "Belem"]) { _ in 0 }
        #expect(Self.erasing(other) == (false, other))
        let outside = Self.notes(head: Self.panasonic, tags: [0x6D, 0x6F], names: ["Lisbon", "Belem"]) { _ in -4_000 }
        #expect(Self.erasing(outside) == (false, outside))
    }

    @Test func `other entries in the directory of a position stay`() {
        let exif = Containers.exif(gps: [(2, 5), (0x0112, 5)])
        let (hadPosition, bytes) = Self.erasing(exif)
        #expect(hadPosition)
        var expected = exif
        for index in [70..<82, 125..<149].joined() { expected[index] = 0 }
        #expect(bytes == expected)
    }

    @Test func `directories that point to each other end`() {
        var exif = Containers.exif()
        exif.replaceSubrange(34..<38, with: Containers.bigEndian(8, 4))
        exif.replaceSubrange(64..<68, with: Containers.bigEndian(8, 4))
        #expect(Self.erasing(exif).hadPosition)
    }
}
