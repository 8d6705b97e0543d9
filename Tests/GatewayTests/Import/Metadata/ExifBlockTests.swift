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
