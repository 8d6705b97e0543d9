import Foundation
import RPC
import Testing

@testable import gateway

/// The date and the position in the metadata of pictures.
struct PictureMetadataTests {
    /// A TIFF structure with a position, a date and a time zone.
    private static func exif(littleEndian: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
            return littleEndian ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(kind, 2) + number(count, 4) + number(value, 4)
        }
        // The first directory at 8, Exif at 38, GPS at 68, then the values.
        var bytes: [UInt8] = littleEndian ? [0x49, 0x49, 42, 0] : [0x4D, 0x4D, 0, 42]
        bytes += number(8, 4)
        bytes += number(2, 2) + entry(0x8769, 4, 1, 38) + entry(0x8825, 4, 1, 68) + number(0, 4)
        bytes += number(2, 2) + entry(0x9003, 2, 20, 98) + entry(0x9011, 2, 7, 118) + number(0, 4)
        bytes += number(2, 2) + entry(2, 5, 3, 125) + entry(4, 5, 3, 149) + number(0, 4)
        bytes += Array("2021:01:31 12:00:00\0".utf8) + Array("+02:00\0".utf8)
        bytes += [UInt8](repeating: 7, count: 48)
        return bytes
    }

    @Test(arguments: [true, false], ["Exif\0\0", "EXIF\u{1}\0\0\0", "eXIf"])
    func `the date is read and the position erased, and nothing else changes`(littleEndian: Bool, mark: String) {
        let exif = Self.exif(littleEndian: littleEndian)
        let bytes = Array("head".utf8) + Array(mark.utf8) + exif + Array("tail".utf8)
        var metadata = PictureMetadata(Data(bytes))
        #expect(metadata.takenAt == Date(timeIntervalSince1970: 1_612_087_200))
        let hadPosition = metadata.erasePosition()
        #expect(hadPosition)
        let start = 4 + mark.utf8.count
        let changed = bytes.indices.filter { bytes[$0] != metadata.bytes[$0] }
        let position = Set(start + 68..<start + 68 + 26).union(start + 125..<start + 173)
        #expect(Set(changed).isSubset(of: position) && metadata.bytes.count == bytes.count)
        #expect(!metadata.bytes[start + 125..<start + 173].contains(7))
        #expect(metadata.takenAt == Date(timeIntervalSince1970: 1_612_087_200))
        let hasPosition = metadata.erasePosition()
        #expect(!hasPosition)
    }

    @Test func `a position in XMP is erased`() {
        let text =
            #"<x exif:GPSLatitude="38,43.2N" exif:GPSLongitude='9,8W' a="b"><exif:GPSAltitude>12/1</exif:GPSAltitude>"#
        var metadata = PictureMetadata(Data(text.utf8))
        let hadPosition = metadata.erasePosition()
        #expect(hadPosition)
        #expect(
            String(decoding: metadata.bytes, as: UTF8.self)
                == #"<x exif:GPSLatitude="        " exif:GPSLongitude='    ' a="b"><exif:GPSAltitude>    </exif:GPSAltitude>"#
        )
        let hasPosition = metadata.erasePosition()
        #expect(!hasPosition)
    }

    @Test(arguments: [
        "", "Exif\0\0", "Exif\0\0II*\0\u{8}\0\0\0", "exif:GPSLatitude", "exif:GPSLatitude=", "exif:GPSLatitude=\"",
    ])
    func `what is cut off or no metadata is left as it is`(text: String) {
        var metadata = PictureMetadata(Data(text.utf8))
        let hasPosition = metadata.erasePosition()
        #expect(!hasPosition)
        #expect(metadata.bytes == Array(text.utf8) && metadata.takenAt == nil)
    }

    @Test func `of a PNG, the checksum of a chunk that changes is updated, and no other`() {
        func chunk(_ name: String, _ content: [UInt8], checksum: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(content.count).bigEndian, Array.init) + Array(name.utf8) + content + checksum
        }
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let wrong: [UInt8] = [1, 2, 3, 4]
        let (head, exif) = (chunk("IHDR", [9], checksum: wrong), Self.exif(littleEndian: false))
        // The CRC-32 of "IEND".
        let end = chunk("IEND", [], checksum: [0xAE, 0x42, 0x60, 0x82])
        var metadata = PictureMetadata(Data(signature + head + chunk("eXIf", exif, checksum: wrong) + end))
        let hadPosition = metadata.erasePosition()
        #expect(hadPosition)
        #expect(metadata.bytes.starts(with: signature + head))
        #expect(metadata.bytes.suffix(end.count) == end[...])
        let changed = Array(metadata.bytes.dropFirst(signature.count + head.count).dropLast(end.count))
        #expect(changed.count == exif.count + 12)
        let checksum = Bytes(Data(changed[4..<changed.count - 4])).crc32
        #expect(Array(changed.suffix(4)) == withUnsafeBytes(of: checksum.bigEndian, Array.init))
    }

    @Test(arguments: 0..<200) func `random damage is survived`(seed: Int) {
        var bytes = Array("Exif\0\0".utf8) + Self.exif(littleEndian: seed % 2 == 0)
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<1 + seed % 7 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes[Int(state >> 33) % bytes.count] = UInt8(state >> 24 & 0xFF)
        }
        var metadata = PictureMetadata(Data(bytes))
        _ = metadata.takenAt
        _ = metadata.erasePosition()
        #expect(metadata.bytes.count == bytes.count)
    }
}
