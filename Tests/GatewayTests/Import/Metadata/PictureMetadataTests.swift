import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The date and the position in the metadata of pictures.
struct PictureMetadataTests {
    private static let exif = Containers.exif()
    private static let xmp = Array(#"<x exif:GPSLatitude="38,43.2N" a="b"/>"#.utf8)
    private static let erasedXMP = Array(#"<x exif:GPSLatitude="        " a="b"/>"#.utf8)

    /// What remains of a structure: of the directory of the position and its values, nothing.
    private static func erased(_ exif: [UInt8]) -> [UInt8] {
        var exif = exif
        for index in [68..<94, 125..<173].joined() { exif[index] = 0 }
        return exif
    }

    private static func erasing(_ file: [UInt8]) -> (hadPosition: Bool, bytes: [UInt8]) {
        var metadata = PictureMetadata(Data(file))
        let hadPosition = metadata.erasePosition()
        return (hadPosition, metadata.bytes)
    }

    /// Files with a place for metadata of each kind.
    private static let places: [(name: String, file: @Sendable ([UInt8], [UInt8]) -> [UInt8])] = [
        (
            "JPEG",
            { exif, xmp in
                Containers.jpeg(
                    Containers.segment(0xE1, Containers.exifMark + exif),
                    Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp))
            }
        ),
        (
            "JPEG with another mark",
            { exif, xmp in
                Containers.jpeg(
                    Containers.segment(0xE1, Array("Exif\0".utf8) + [0xFF] + exif),
                    Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp))
            }
        ),
        (
            "Photoshop's resources",
            { exif, xmp in
                let all =
                    Containers.resource(0x0404, [1]) + Containers.resource(0x0422, exif)
                    + Containers.resource(0x0424, xmp)
                let mark = Array("Photoshop 3.0\0".utf8)
                return Containers.jpeg(
                    Containers.segment(0xED, mark + all.prefix(100)),
                    Containers.segment(0xED, mark + all.dropFirst(100)))
            }
        ),
        (
            "extended XMP in two segments, the second first",
            { exif, xmp in
                func part(_ offset: Int, _ content: ArraySlice<UInt8>) -> [UInt8] {
                    Containers.segment(
                        0xE1,
                        Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 65, count: 32)
                            + Containers.bigEndian(xmp.count, 4) + Containers.bigEndian(offset, 4) + content)
                }
                return Containers.jpeg(
                    part(24, xmp.dropFirst(24)), part(0, xmp.prefix(24)),
                    Containers.segment(0xE1, Containers.exifMark + exif))
            }
        ),
        (
            "a second picture",
            { exif, xmp in
                Containers.jpeg()
                    + Containers.jpeg(
                        Containers.segment(0xE1, Containers.exifMark + exif),
                        Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp))
            }
        ),
        (
            "PNG",
            { exif, xmp in
                Containers.png(
                    Containers.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp),
                    Containers.chunk("IDAT", [1]), Containers.chunk("eXIf", exif))
            }
        ),
        (
            "XMP without its mark, and Exif in two segments",
            { exif, xmp in
                Containers.jpeg(
                    [0xFF, 0x01], Containers.segment(0xE1, Array("XMP\0<rdf:RDF>".utf8) + xmp),
                    Containers.segment(0xE1, Containers.exifMark + exif.prefix(60)),
                    Containers.segment(0xE1, Containers.exifMark + exif.dropFirst(60)))
            }
        ),
        ("WebP", { exif, xmp in Containers.webp(("VP8 ", [1]), ("EXIF", exif), ("XMP ", xmp)) }),
        (
            "WebP with the mark of JPEG",
            { exif, xmp in Containers.webp(("EXIF", Containers.exifMark + exif), ("XMP ", xmp)) }
        ),
        ("AVIF", { exif, xmp in Containers.avif(exif: exif, xmp: xmp, isInIdat: false) }),
        ("AVIF, items in the box", { exif, xmp in Containers.avif(exif: exif, xmp: xmp, isInIdat: true) }),
    ]

    @Test(arguments: places.map(\.name), [true, false])
    func `positions are erased, and nothing else changes`(name: String, littleEndian: Bool) throws {
        let file = try #require(Self.places.first { $0.name == name }).file
        let exif = Containers.exif(littleEndian: littleEndian)
        let bytes = file(exif, Self.xmp)
        #expect(Self.erasing(bytes) == (true, file(Self.erased(exif), Self.erasedXMP)))
        #expect(Self.erasing(Self.erasing(bytes).bytes).hadPosition == false)
        if name != "Photoshop's resources" {
            #expect(PictureMetadata(Data(bytes)).takenAt == Date(timeIntervalSince1970: 1_612_087_200))
        }
    }

    /// Files with metadata in other places, without a date.
    private static let otherPlaces: [(name: String, file: @Sendable ([UInt8], [UInt8]) -> [UInt8])] = [
        ("XMP of GIF", { _, xmp in Containers.gif(xmp: xmp) }),
        (
            "XMP of GIF in blocks",
            { _, xmp in
                let packet = Array("<rdf:RDF>".utf8) + xmp
                return Containers.gif(
                    Containers.gifExtension(
                        0xFF, Array("XMP DataXMP".utf8), Array(packet.prefix(20)), Array(packet.dropFirst(20))))
            }
        ),
        (
            "comment and application of GIF",
            { exif, xmp in
                Containers.gif(
                    Containers.gifExtension(0xFE, Array("<rdf:RDF>".utf8) + xmp), Containers.gifPicture,
                    Containers.gifExtension(
                        0xFF, Array("ABCDEFGH1.0".utf8), Array(exif.prefix(50)), Array(exif.dropFirst(50))))
            }
        ),
        (
            "comment of JPEG",
            { exif, xmp in
                Containers.jpeg(
                    Containers.segment(0xFE, Array("<rdf:RDF>".utf8) + xmp),
                    Containers.segment(0xE3, Array("Meta\0\0".utf8) + exif))
            }
        ),
        (
            "old mark of Photoshop's resources",
            { exif, xmp in
                let mark = Array("Adobe_Photoshop2.5:".utf8) + [UInt8](repeating: 0, count: 8)
                return Containers.jpeg(
                    Containers.segment(
                        0xED, mark + Containers.resource(0x0422, exif) + Containers.resource(0x0424, xmp)))
            }
        ),
        (
            "previews in Exif and in Photoshop's resources",
            { exif, xmp in
                let preview = Containers.jpeg(Containers.segment(0xE1, Containers.exifMark + exif))
                let empty: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
                return Containers.jpeg(
                    Containers.segment(0xE1, Containers.exifMark + empty + preview),
                    Containers.segment(
                        0xED,
                        Array("Photoshop 3.0\0".utf8)
                            + Containers.resource(0x040C, [UInt8](repeating: 0, count: 28) + preview)))
            }
        ),
        (
            "compressed metadata of PNG",
            { exif, xmp in
                Containers.png(
                    Containers.chunk(
                        "zxIf", [0] + Containers.bigEndian(exif.count, 4) + Containers.deflated(exif)),
                    Containers.chunk(
                        "iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + Containers.deflated(xmp)),
                    Containers.chunk(
                        "zTXt",
                        Array("Raw profile type APP1\0\0".utf8)
                            + Containers.deflated(Containers.rawProfile("generic", Containers.exifMark + exif))),
                    Containers.chunk(
                        "tEXt",
                        Array("Raw profile type exif\0".utf8)
                            + Containers.rawProfile("exif", Containers.exifMark + exif)),
                    Containers.chunk(
                        "zTXt",
                        Array("Raw profile type xmp\0\0".utf8)
                            + Containers.deflated(Containers.rawProfile("xmp", xmp))))
            }
        ),
    ]

    @Test(arguments: otherPlaces.map(\.name)) func `positions in other places are erased`(name: String) throws {
        let file = try #require(Self.otherPlaces.first { $0.name == name }).file
        #expect(Self.erasing(file(Self.exif, Self.xmp)) == (true, file(Self.erased(Self.exif), Self.erasedXMP)))
        #expect(Self.erasing(file(Self.erased(Self.exif), Self.erasedXMP)).hadPosition == false)
    }

    @Test func `previews in previews end`() {
        var exif = Self.exif
        for _ in 0..<200 {
            exif = Self.exif + Containers.jpeg(Containers.segment(0xE1, Containers.exifMark + exif))
        }
        #expect(Self.erasing(Containers.webp(("EXIF", exif))).hadPosition)
    }

    @Test func `the position of a thermal camera is erased`() {
        func file(_ place: [UInt8]) -> [UInt8] {
            let head =
                Array("FFF\0".utf8) + [UInt8](repeating: 0, count: 16)
                + [100, 64, 2].flatMap { Containers.bigEndian($0, 4) } + [UInt8](repeating: 0, count: 32)
            let records = [(0x2A, 128), (0x2B, 132)].flatMap { kind, start in
                Containers.bigEndian(kind, 2) + [UInt8](repeating: 0, count: 10)
                    + [start, 4, 0, 0, 0].flatMap { Containers.bigEndian($0, 4) }
            }
            let all = head + records + [1, 2, 3, 4] + place
            let mark = Array("FLIR\0".utf8)
            return Containers.jpeg(
                Containers.segment(0xE1, mark + [1, 0, 1] + all.prefix(70)),
                Containers.segment(0xE1, mark + [1, 1, 1] + all.dropFirst(70)))
        }
        #expect(Self.erasing(file([5, 6, 7, 8])) == (true, file([0, 0, 0, 0])))
        #expect(Self.erasing(file([0, 0, 0, 0])).hadPosition == false)
    }

    @Test func `the position of an action camera is erased, also in records within records`() {
        func record(_ key: String, _ type: UInt8, _ size: UInt8, _ content: [UInt8]) -> [UInt8] {
            Array(key.utf8) + [type, size] + Containers.bigEndian(content.count / Int(max(size, 1)), 2) + content
                + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        }
        func file(_ place: [UInt8]) -> [UInt8] {
            let stream = record("STNM", 0x63, 1, Array("GPS".utf8)) + record("GPS5", 0x6C, 4, place)
            let all = record("DEVC", 0, 1, record("DVID", 0x4C, 4, [0, 0, 0, 1]) + record("STRM", 0, 1, stream))
            return Containers.jpeg(Containers.segment(0xE6, Array("GoPro\0".utf8) + all))
        }
        let place: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(Self.erasing(file(place)) == (true, file([UInt8](repeating: 0, count: 8))))
        #expect(Self.erasing(file([UInt8](repeating: 0, count: 8))).hadPosition == false)
        // Records that end too early, and that never end.
        let whole = Array(file(place).dropFirst(16).dropLast(2))
        for length in whole.indices {
            let cut = Containers.jpeg(Containers.segment(0xE6, Array("GoPro\0".utf8) + whole.prefix(length)))
            #expect(Self.erasing(cut).bytes.count == cut.count)
        }
        let endless = (0..<100).reduce([UInt8]()) { inner, _ in record("STRM", 0, 1, inner) }
        #expect(
            Self.erasing(Containers.jpeg(Containers.segment(0xE6, Array("GoPro\0".utf8) + endless))).hadPosition
                == false)
    }

    @Test(arguments: ["", "\n", "&#xA;"]) func `the position in pictures that XMP has in Base64 is erased`(
        lineBreak: String
    ) {
        func file(_ exif: [UInt8]) -> [UInt8] {
            let picture = Containers.jpeg(Containers.segment(0xE1, Containers.exifMark + exif))
            let text = Data(picture).base64EncodedString()
            let lines = stride(from: 0, to: text.count, by: 76).map { String(text.dropFirst($0).prefix(76)) }
            let packet = """
                <x:xmpmeta><rdf:RDF><rdf:Description GImage:Mime="image/jpeg" GImage:Data="\(lines.joined(separator: lineBreak))"/>\
                </rdf:RDF></x:xmpmeta>
                """
            return Containers.jpeg(
                Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8)))
        }
        #expect(Self.erasing(file(Self.exif)) == (true, file(Self.erased(Self.exif))))
        #expect(Self.erasing(file(Self.erased(Self.exif))).hadPosition == false)
    }

    @Test func `of PNG, texts that are only a position or cannot be read are removed`() {
        let keep = Containers.chunk("zTXt", Array("Comment\0\0".utf8) + Containers.deflated([65, 66]))
        let removed = [
            Containers.chunk("tEXt", Array("exif:GPSLatitude\u{0}38/1, 43/1".utf8)),
            Containers.chunk("zTXt", Array("Raw profile type exif\0\0".utf8) + [1, 2, 3]),
            Containers.chunk("zxIf", [0, 1, 2]),
        ]
        for chunk in removed {
            #expect(Self.erasing(Containers.png(keep, chunk, keep)) == (true, Containers.png(keep, keep)))
        }
    }

    @Test func `the date in packed metadata is found`() {
        let profile = Containers.rawProfile("generic", Containers.exifMark + Self.exif)
        let chunk = Containers.chunk(
            "zTXt", Array("Raw profile type APP1\0\0".utf8) + Containers.deflated(profile))
        let metadata = PictureMetadata(Data(Containers.png(chunk)))
        #expect(metadata.takenAt == Date(timeIntervalSince1970: 1_612_087_200))
    }

    @Test func `checksums of other chunks stay as they are`() {
        var file = Containers.png(Containers.chunk("eXIf", Self.exif))
        file[file.count - 1] ^= 1
        file[29 - 1] ^= 1
        let after = Self.erasing(file).bytes
        #expect(after[28] == file[28] && after.last == file.last)
    }

    /// As many as here would take minutes if each were searched in the whole file.
    @Test func `each of many texts of PNG loses its position, and no other is changed`() {
        func text(_ text: String) -> [UInt8] { Containers.chunk("tEXt", Array("Comment\u{0}\(text)".utf8)) }
        func packed(_ text: String) -> [UInt8] {
            Containers.chunk("zTXt", Array("Comment\0\0".utf8) + Containers.deflated(Array(text.utf8)))
        }
        var other = text("other")
        other[other.count - 1] ^= 1
        func file(_ position: String) -> [UInt8] {
            Containers.png(
                other, Array((1...10_000).map { _ in text(position) + other }.joined()),
                Array((1...10_000).map { _ in packed(position) + other }.joined()))
        }
        #expect(Self.erasing(file("lat 12.3456")) == (true, file("lat 00.0000")))
    }

    @Test func `texts of PNG that are no position stay`() {
        let file = Containers.png(
            Containers.chunk("tEXt", Array("My gpsd note\u{0}38".utf8)),
            Containers.chunk("zTXt", Array("Raw profile type icm\0\0".utf8) + [1, 2, 3]))
        #expect(Self.erasing(file) == (false, file))
    }

    @Test(arguments: ["\u{A9}xyz", "com.apple.quicktime.location.ISO6709"])
    func `the position of a video behind a picture is erased`(mark: String) {
        let mark = mark.unicodeScalars.map { UInt8($0.value) }
        let video =
            [0, 0, 0, 8] + Array("ftyp".utf8) + mark + [0, 18, 0x15, 0xC7] + Array("+38.7223-009.1393+12/-1+2".utf8)
        let (hadPosition, bytes) = Self.erasing(Containers.jpeg() + video)
        #expect(hadPosition)
        #expect(String(decoding: bytes.suffix(25), as: UTF8.self) == "+00.0000-000.0000+00/-1+2")
        #expect(bytes.dropLast(25).elementsEqual(Containers.jpeg() + video.dropLast(25)))
    }

    @Test(arguments: [
        // Names and values in the data of a picture, in a profile of colours, and in a segment that is cut off.
        Containers.jpeg() + Containers.exifMark + exif,
        Containers.jpeg(Containers.segment(0xE2, Array("ICC_PROFILE\0".utf8) + xmp)),
        [0xFF, 0xD8, 0xFF, 0xE1], [0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF], [0xFF, 0xD8, 0xFF],
        Containers.png(Containers.chunk("tEXt", Array("Comment\0no latitude".utf8))), exif, xmp, [],
    ])
    func `what is no metadata stays as it is`(file: [UInt8]) {
        #expect(Self.erasing(file) == (false, file))
        #expect(PictureMetadata(Data(file)).takenAt == nil)
    }

    @Test func `a date behind the first bytes of a large WebP is found`() async throws {
        let large = Containers.webp(("VP8 ", [UInt8](repeating: 1, count: 2 << 20)), ("EXIF", Self.exif))
        try await withTemporaryDirectory { folder in
            #expect(FileManager.default.createFile(atPath: "\(folder)/a.webp", contents: Data(large)))
            #expect(PictureMetadata.date(ofFile: "\(folder)/a.webp") == Date(timeIntervalSince1970: 1_612_087_200))
        }
    }

    @Test(arguments: 0..<300) func `random damage is survived`(seed: Int) {
        let places = Self.places + Self.otherPlaces
        var bytes = places[seed % places.count].file(Containers.exif(littleEndian: seed % 2 == 0), Self.xmp)
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<1 + seed % 7 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes[Int(state >> 33) % bytes.count] = UInt8(state >> 24 & 0xFF)
        }
        _ = PictureMetadata(Data(bytes)).takenAt
        #expect(Self.erasing(bytes).bytes.count <= bytes.count)
        _ = Self.erasing(Array(bytes.prefix(Int(state >> 33) % bytes.count)))
    }
}
