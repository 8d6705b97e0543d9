import CZlib
import Foundation
import RPC

/// Files of pictures with metadata, and without a picture.
enum Containers {
    static let exifMark = Array("Exif\0\0".utf8)

    static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> (8 * $0) & 0xFF) }
    }

    static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] { bigEndian(value, count).reversed() }

    /// A TIFF structure with a position, a date and a time zone: the first directory at 8, that of Exif at 38, that of the position
    /// at 68, then the values.
    static func exif(littleEndian isLittle: Bool = false, pointerKind: Int = 4, gps: [(tag: Int, kind: Int)]? = nil)
        -> [UInt8]
    {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            isLittle ? littleEndian(value, count) : bigEndian(value, count)
        }
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(kind, 2) + number(count, 4) + number(value, 4)
        }
        let position = (gps ?? [(2, 5), (4, 5)]).enumerated().flatMap { index, member in
            entry(member.tag, member.kind, 3, 125 + 24 * index)
        }
        var bytes: [UInt8] = isLittle ? [0x49, 0x49, 42, 0] : [0x4D, 0x4D, 0, 42]
        bytes += number(8, 4)
        bytes += number(2, 2) + entry(0x8769, 4, 1, 38) + entry(0x8825, pointerKind, 1, 68) + number(0, 4)
        bytes += number(2, 2) + entry(0x9003, 2, 20, 98) + entry(0x9011, 2, 7, 118) + number(0, 4)
        bytes += number(2, 2) + position + number(0, 4)
        bytes += Array("2021:01:31 12:00:00\0".utf8) + Array("+02:00\0".utf8)
        bytes += [UInt8](repeating: 7, count: 48)
        return bytes
    }

    /// A TIFF structure with values in one directory: text, or another kind.
    static func exif(_ values: [(tag: Int, kind: Int, bytes: [UInt8])]) -> [UInt8] {
        var (entries, rest) = ([UInt8](), [UInt8]())
        let start = 8 + 2 + 12 * values.count + 4
        for (tag, kind, bytes) in values {
            entries += bigEndian(tag, 2) + bigEndian(kind, 2) + bigEndian(bytes.count, 4)
            entries +=
                bytes.count <= 4
                ? bytes + [UInt8](repeating: 0, count: 4 - bytes.count) : bigEndian(start + rest.count, 4)
            if bytes.count > 4 { rest += bytes }
        }
        return [0x4D, 0x4D, 0, 42] + bigEndian(8, 4) + bigEndian(values.count, 2) + entries + [0, 0, 0, 0] + rest
    }

    /// The properties of a picture in an XMP packet.
    static func xmp(_ properties: String, attributes: String = "") -> [UInt8] {
        Array(
            """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
            xmlns:dc="http://purl.org/dc/elements/1.1/" \(attributes)>\(properties)</rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    /// A data set of IPTC.
    static func dataSet(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        [0x1C, 2, number] + bigEndian(value.count, 2) + value
    }

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + bigEndian(content.count + 2, 2) + content
    }

    /// Segments, and the beginning of the data.
    static func jpeg(_ segments: [UInt8]...) -> [UInt8] {
        [0xFF, 0xD8] + segments.joined() + segment(0xDA, [0]) + [7, 7, 0xFF, 0xD9]
    }

    /// A resource of Photoshop with a name.
    static func resource(_ id: Int, _ content: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + bigEndian(id, 2) + [3, 65, 66, 67] + bigEndian(content.count, 4) + content
            + (content.count % 2 == 1 ? [0] : [])
    }

    // MARK: PNG

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let sum = Int(Bytes(Data(Array(name.utf8) + content)).crc32)
        return bigEndian(content.count, 4) + Array(name.utf8) + content + bigEndian(sum, 4)
    }

    static func png(_ chunks: [UInt8]...) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [9]) + chunks.joined() + chunk("IEND", [])
    }

    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(uLong(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { target, count in
            count = compress(target.baseAddress, &length, bytes, uLong(bytes.count)) == Z_OK ? Int(length) : 0
        }
    }

    /// As ImageMagick writes the metadata of another format.
    static func rawProfile(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        return Array("\n\(name)\n    \(bytes.count)\n".utf8)
            + stride(from: 0, to: digits.utf8.count, by: 72).flatMap {
                Array(digits.utf8.dropFirst($0).prefix(72)) + [10]
            }
    }

    // MARK: WebP, GIF, AVIF

    static func webp(_ chunks: (name: String, content: [UInt8])...) -> [UInt8] {
        let body = chunks.flatMap { chunk -> [UInt8] in
            Array(chunk.name.utf8) + littleEndian(chunk.content.count, 4) + chunk.content
                + (chunk.content.count % 2 == 1 ? [0] : [])
        }
        return Array("RIFF".utf8) + littleEndian(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    /// A screen with two colours, and blocks.
    static func gif(_ blocks: [UInt8]...) -> [UInt8] {
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 9, count: 6) + blocks.joined() + [0x3B]
    }

    /// XMP in one piece.
    static func gif(xmp: [UInt8]) -> [UInt8] {
        let trailer = [1] + (0...255).reversed().map { UInt8($0) } + [0]
        return gif([0x21, 0xFF, 0x0B] + Array("XMP DataXMP".utf8) + xmp + trailer)
    }

    static func gifExtension(_ label: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        [0x21, label] + parts.flatMap { [UInt8($0.count)] + $0 } + [0]
    }

    static let gifPicture: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 1, 1, 1, 1, 1, 2, 1, 7, 0]

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        bigEndian(content.count + 8, 4) + Array(name.utf8) + content
    }

    /// The items are in `idat`, or at the end of the file.
    static func avif(exif: [UInt8], xmp: [UInt8], isInIdat: Bool) -> [UInt8] {
        let items: [(id: Int, kind: String, content: [UInt8])] = [
            (1, "Exif\0", [0, 0, 0, 0] + exif), (2, "mime\0application/rdf+xml\0", xmp),
        ]
        let infe = items.flatMap { id, kind, _ -> [UInt8] in
            box("infe", [2, 0, 0, 0] + bigEndian(id, 2) + [0, 0] + Array(kind.utf8))
        }
        let content = items.flatMap(\.content)
        func meta(_ base: Int) -> [UInt8] {
            var (iloc, offset) = ([UInt8]([1, 0, 0, 0, 0x44, 0x40, 0, 2]), 0)
            for (id, _, bytes) in items {
                iloc += bigEndian(id, 2) + [0, isInIdat ? 1 : 0, 0, 0] + bigEndian(base, 4) + [0, 1]
                iloc += bigEndian(offset, 4) + bigEndian(bytes.count, 4)
                offset += bytes.count
            }
            return box(
                "meta",
                [0, 0, 0, 0] + box("iinf", [0, 0, 0, 0, 0, 2] + infe) + box("iloc", iloc)
                    + (isInIdat ? box("idat", content) : []))
        }
        let head = box("ftyp", Array("avif".utf8) + [0, 0, 0, 0])
        return head + (isInIdat ? meta(0) : meta(head.count + meta(0).count + 8) + box("mdat", content))
    }
}
