import EdgeModel
import FeedContract
import Foundation
import RPCTestKit
import Testing

@testable import gateway

/// The texts in the files of pictures.
struct PictureTextsTests {
    private static func texts(_ file: [UInt8], name: String = "a.jpg") -> PictureTexts {
        PictureMetadata(Data(file)).texts(file: name)
    }

    private static func jpeg(xmp: [UInt8]) -> [UInt8] {
        Containers.jpeg(Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp))
    }

    private static func jpeg(iptc: [UInt8]) -> [UInt8] {
        Containers.jpeg(
            Containers.segment(0xED, Array("Photoshop 3.0\0".utf8) + Containers.resource(0x0404, iptc)))
    }

    private static func jpeg(exif values: [(tag: Int, kind: Int, bytes: [UInt8])]) -> [UInt8] {
        Containers.jpeg(Containers.segment(0xE1, Containers.exifMark + Containers.exif(values)))
    }

    private static func text(_ tag: Int, _ text: String) -> (tag: Int, kind: Int, bytes: [UInt8]) {
        (tag, 2, Array(text.utf8) + [0])
    }

    private static let packet = Containers.xmp(
        """
        <dc:title><rdf:Alt><rdf:li xml:lang="pt">Farol</rdf:li><rdf:li xml:lang="x-default">Lighthouse</rdf:li></rdf:Alt></dc:title>
        <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Waves &amp; wind &#8212; <![CDATA[a < b]]></rdf:li></rdf:Alt></dc:description>
        <dc:creator><rdf:Seq><rdf:li>Ana Silva</rdf:li><rdf:li>Li Wei</rdf:li></rdf:Seq></dc:creator>
        <dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>Farol da Barra</rdf:li><rdf:li>Sea</rdf:li></rdf:Bag></dc:subject>
        <dc:source>https://example.org/á</dc:source>
        <Iptc4xmpCore:AltTextAccessibility><rdf:Alt><rdf:li>A white tower</rdf:li></rdf:Alt></Iptc4xmpCore:AltTextAccessibility>
        <cc:license rdf:resource="https://creativecommons.org/licenses/by-sa/4.0/"/>
        """, attributes: #"photoshop:City="Salvador" photoshop:Country="Brazil" photoshop:Credit="Agency""#)

    /// The file formats with a place for XMP.
    private static let containers: [(name: String, file: @Sendable ([UInt8]) -> [UInt8])] = [
        ("JPEG", { jpeg(xmp: $0) }),
        ("PNG", { Containers.png(Containers.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + $0)) }),
        (
            "compressed PNG",
            {
                Containers.png(
                    Containers.chunk("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + Containers.deflated($0)))
            }
        ),
        ("WebP", { Containers.webp(("VP8 ", [1]), ("XMP ", $0)) }),
        ("GIF", { Containers.gif(xmp: $0) }),
        ("AVIF", { Containers.avif(exif: Containers.exif([]), xmp: $0, isInIdat: true) }),
        (
            "UTF-16",
            {
                jpeg(xmp: String(decoding: $0, as: UTF8.self).utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
            }
        ),
        (
            "Photoshop's resources",
            {
                Containers.jpeg(
                    Containers.segment(0xED, Array("Photoshop 3.0\0".utf8) + Containers.resource(0x0424, $0)))
            }
        ),
    ]

    @Test(arguments: containers.map(\.name)) func `XMP is read in every format`(name: String) throws {
        let file = try #require(Self.containers.first { $0.name == name }).file
        let texts = Self.texts(file(Self.packet))
        #expect(texts.title == "Lighthouse" && texts.description == "Waves & wind — a < b")
        #expect(texts.tags == ["sea", "Farol da Barra"] && texts.place == "Salvador, Brazil")
        let details = PictureDetails(
            alt: "A white tower", credit: "Ana Silva, Li Wei / Agency", license: "CC-BY-SA-4.0",
            source: "https://example.org/%C3%A1")
        #expect(texts.details == details)
    }

    @Test(arguments: ["a.jpg.xmp", "a.XMP"])
    func `the XMP file beside a picture counts before the picture's own`(name: String) async throws {
        let beside = Containers.xmp(
            """
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Tower</rdf:li></rdf:Alt></dc:title>
            <dc:description><rdf:Alt><rdf:li xml:lang="x-default">At lat 38.72</rdf:li></rdf:Alt></dc:description>
            """, attributes: #"exif:DateTimeOriginal="2021-01-31T12:00:00Z""#)
        try await withTemporaryDirectory { folder in
            try Data(Self.jpeg(xmp: Self.packet)).write(to: URL(filePath: "\(folder)/a.jpg"))
            try Data(beside).write(to: URL(filePath: "\(folder)/\(name)"))
            try Data("no XMP".utf8).write(to: URL(filePath: "\(folder)/a.xmp"))
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/a.jpg.XMP", withDestinationPath: "/dev/null")
            let contents = try ImportFolder(path: folder).contents()
            #expect(contents.entries.map(\.publishedAt) == [Date(timeIntervalSince1970: 1_612_094_400)])
            #expect(contents.skipped == [.sidecar: 2])
            let texts = try await ImportFolder(path: folder).picture("a.jpg").prepared(keepingPosition: false).texts
            #expect(texts.title == "Tower" && texts.description == "At lat" && texts.place == "Salvador, Brazil")
        }
    }

    @Test func `a packet may have other prefixes, and no other pictures' texts count`() {
        let packet = Containers.xmp(
            """
            <a:creator xmlns:a="http://purl.org/dc/elements/1.1/">Ana</a:creator><dc:title>One</dc:title>\
            <xmpMM:Ingredients><rdf:Bag><rdf:li><rdf:Description dc:title="x"><dc:description>other</dc:description>\
            </rdf:Description></rdf:li></rdf:Bag></xmpMM:Ingredients>
            """)
        let texts = Self.texts(Self.jpeg(xmp: packet))
        #expect(texts.title == "One" && texts.description == nil && texts.details.credit == "Ana")
    }

    @Test func `IPTC is read, in the encodings that programs write`() {
        let values: [(UInt8, String)] = [
            (5, "Pier"), (80, "São"), (110, "Agency / São"), (25, "a"), (25, "b"), (90, "Lisbon"),
            (92, "Rua 1, 2nd floor"), (95, "Lisbon"), (101, "Portugal"), (116, "© 2020 Ana. All rights reserved."),
        ]
        var sets = Containers.dataSet(120, Array("Caf".utf8) + [0xE9])
        for (number, text) in values { sets += Containers.dataSet(number, Array(text.utf8)) }
        let texts = Self.texts(Self.jpeg(iptc: sets))
        #expect(texts.title == "Pier" && texts.description == "Café" && texts.tags == ["a", "b"])
        // The place in the city may be an address.
        #expect(texts.place == "Lisbon, Portugal")
        #expect(texts.details == PictureDetails(credit: "Agency / São"))
    }

    @Test func `EXIF is read, also the texts of Windows`() {
        func wide(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }
        let texts = Self.texts(
            Self.jpeg(exif: [
                Self.text(0x010E, "A pier"), Self.text(0x013B, "Ana"), Self.text(0x8298, "CC BY 4.0"),
                (0x9C9B, 1, wide("Olá\0")), (0x9C9E, 1, wide("sea; sun")),
            ]))
        #expect(texts.title == "Olá" && texts.description == "A pier" && texts.tags == ["sea", "sun"])
        #expect(texts.details == PictureDetails(credit: "Ana", license: "CC-BY-4.0"))
    }

    @Test func `texts of PNG are read by their keywords`() {
        func chunk(_ text: String) -> [UInt8] { Containers.chunk("tEXt", Array(text.utf8)) }
        let texts = Self.texts(
            Containers.png(
                chunk("Title\0Pier"), chunk("Author\0Ana"), chunk("Comment\0made by a program"),
                Containers.chunk("tEXt", Array("Description\0Caf".utf8) + [0xE9])))
        #expect(texts.title == "Pier" && texts.description == "Café" && texts.details.credit == "Ana")
        #expect(Self.texts(Containers.png(chunk("Comment\0made by a program"))) == PictureTexts())
    }

    @Test func `XMP counts before IPTC, and IPTC before EXIF`() {
        func file(xmp: String?, iptc: String?, exif: String?) -> [UInt8] {
            var segments: [UInt8] = []
            if let exif {
                let block = Containers.exif([Self.text(0x010E, exif)])
                segments += Containers.segment(0xE1, Containers.exifMark + block)
            }
            if let iptc {
                let resource = Containers.resource(0x0404, Containers.dataSet(120, Array(iptc.utf8)))
                segments += Containers.segment(0xED, Array("Photoshop 3.0\0".utf8) + resource)
            }
            if let xmp {
                let packet = Containers.xmp("<dc:description>\(xmp)</dc:description>")
                segments += Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
            }
            return Containers.jpeg(segments)
        }
        #expect(Self.texts(file(xmp: "x", iptc: "i", exif: "e")).description == "x")
        #expect(Self.texts(file(xmp: " ", iptc: "i", exif: "e")).description == "i")
        #expect(Self.texts(file(xmp: nil, iptc: "", exif: "e")).description == "e")
        #expect(Self.texts(file(xmp: "SONY DSC", iptc: nil, exif: "e")).description == "e")
        #expect(Self.texts(file(xmp: nil, iptc: nil, exif: nil)) == PictureTexts())
    }

    @Test(arguments: [
        "OLYMPUS DIGITAL CAMERA         ", "SONY DSC", "KODAK Digital Still Camera", "DCIM", "hdrpl", "IMG_1234",
        "DCIM\\100MEDIA\\DJI_0001.JPG", "a.jpg", "a", "holiday.JPEG", "20210131_120000", "Canon EOS 5D", "   ",
        "\u{1}\u{2}",
        "Exif_JPEG_PICTURE", "Created with GIMP", "_DSC0001",
    ])
    func `what cameras and programs write by themselves is no text`(text: String) {
        let file = Self.jpeg(exif: [
            Self.text(0x010E, text), Self.text(0x010F, "Canon"), Self.text(0x0110, "Canon EOS 5D"),
        ])
        #expect(Self.texts(file, name: "/x/a.jpg").description == nil)
    }

    @Test(arguments: ["A digital camera on a table", "2020", "Photo 12", "hdr or not", "a.jpg and b.jpg", "P. 123"])
    func `other texts stay`(text: String) {
        #expect(Self.texts(Self.jpeg(exif: [Self.text(0x010E, text)])).description == text)
    }

    @Test(arguments: [
        ("CafÃ© Ã\u{A0} Paris", "Café à Paris"), ("<p>One</p><p>Two <b>three</b></p>", "One\n\nTwo three"),
        ("1 < 2 > 0", "1 < 2 > 0"), ("one\r\ntwo\rthree", "one\ntwo\nthree"), ("\u{FEFF}a\u{1}b\u{7F}c", "abc"),
        ("A <b>tower</b><script>alert(1)</script>", "A tower"),
    ])
    func `texts are repaired and plain`(text: String, plain: String) {
        #expect(Self.texts(Self.jpeg(exif: [Self.text(0x010E, text)])).description == plain)
    }

    @Test(arguments: [
        ("https://creativecommons.org/licenses/by-nc-nd/3.0/br/", "CC-BY-NC-ND-3.0", nil),
        ("Published under CC0", "CC0-1.0", nil), ("CC BY-SA 4.0, Ana", "CC-BY-SA-4.0", nil),
        ("http://creativecommons.org/publicdomain/mark/1.0/", "Public Domain", nil),
        ("GNU-Lizenz für freie Dokumentation", "GNU-Lizenz für freie Dokumentation", nil),
        ("© 2020 Ana Silva", nil, "© 2020 Ana Silva"), ("All rights reserved.", nil, nil), ("Copyright 2020", nil, nil),
    ])
    func `a notice of copyright is a licence, or names the owner`(notice: String, license: String?, credit: String?) {
        let texts = Self.texts(Self.jpeg(exif: [Self.text(0x8298, notice)]))
        #expect(texts.details == PictureDetails(credit: credit, license: license))
    }

    @Test func `an address that is none is no source and no licence`() {
        let packet = Containers.xmp(
            "<dc:source>negative 12</dc:source>", attributes: #"xmpRights:WebStatement="see my site""#)
        #expect(Self.texts(Self.jpeg(xmp: packet)).details.isEmpty)
        let terms = Containers.xmp("", attributes: #"xmpRights:WebStatement="https://example.org/terms""#)
        #expect(Self.texts(Self.jpeg(xmp: terms)).details.license == "https://example.org/terms")
    }

    @Test func `damage ends the texts, and never more`() {
        let whole = Self.jpeg(xmp: Containers.xmp("<dc:title>One</dc:title><dc:description>Two</dc:description>"))
        for length in 0..<whole.count { _ = Self.texts(Array(whole.prefix(length))) }
        let broken = Containers.xmp("<dc:title>One</dc:title><dc:description>Two<dc:creator a=></dc:description>")
        #expect(Self.texts(Self.jpeg(xmp: broken)).title == "One")
        // Lengths that lead out of the file.
        let long: [UInt8] = [0x1C, 2, 120, 0x80, 4, 0x7F, 0xFF, 0xFF, 0xFF, 65, 66]
        #expect(Self.texts(Self.jpeg(iptc: long)).description == "AB")
        #expect(Self.texts(Self.jpeg(iptc: [0x1C, 2, 120, 0xFF, 0xFF, 65])).description == nil)
        let outside = Containers.exif([(0x010E, 2, [65, 66, 67])]).map { $0 == 3 ? 0xFF : $0 }
        #expect(Self.texts(Containers.webp(("EXIF", outside))).description == nil)
    }

    @Test(arguments: [
        (
            jpeg(xmp: Containers.xmp("", attributes: #"exif:DateTimeOriginal="2020-01-02T03:04:05+01:00""#)),
            1_577_930_645
        ),
        (jpeg(xmp: Containers.xmp("<photoshop:DateCreated>2020-01-02</photoshop:DateCreated>")), 1_577_923_200),
        (
            jpeg(
                iptc: Containers.dataSet(55, Array("20200102".utf8))
                    + Containers.dataSet(60, Array("030405+0100".utf8))), 1_577_930_645
        ),
        (jpeg(iptc: Containers.dataSet(55, Array("20200102".utf8))), 1_577_923_200),
        (jpeg(iptc: Containers.dataSet(55, Array("00000000".utf8))), nil),
        (
            jpeg(iptc: Containers.dataSet(55, Array("20200102".utf8)) + Containers.dataSet(60, Array("noon".utf8))),
            1_577_923_200
        ),
    ])
    func `without Exif, the date taken is that of XMP or IPTC`(file: [UInt8], seconds: Int?) {
        let date = seconds.map { Date(timeIntervalSince1970: Double($0)) }
        #expect(PictureMetadata(Data(file)).takenAt == date)
    }

    @Test func `a position that is removed is not published as a text either`() async throws {
        let packet = Containers.xmp("<dc:description>At 38.72230, -9.13930</dc:description>")
        try await withTemporaryDirectory { folder in
            try Data(Self.jpeg(xmp: packet)).write(to: URL(filePath: folder + "/a.jpg"))
            let file = PictureFile(path: folder + "/a.jpg")
            let (without, with) = (
                try await file.prepared(keepingPosition: false), try await file.prepared(keepingPosition: true)
            )
            #expect(without.hadPosition && without.texts.description == "At")
            #expect(with.texts.description == "At 38.72230, -9.13930")
        }
    }

    @Test func `hostile sizes are cut`() {
        let texts = Self.texts(
            Containers.webp(
                (
                    "XMP ",
                    Containers.xmp(
                        "<dc:description>" + String(repeating: "👨‍👩‍👧", count: 20_000)
                            + "</dc:description><dc:subject><rdf:Bag>"
                            + (0..<5_000).map { "<rdf:li>\($0) \(String(repeating: "x", count: $0 % 100))</rdf:li>" }
                            .joined()
                            + "</rdf:Bag></dc:subject><dc:creator>" + String(repeating: "a ", count: 400)
                            + "</dc:creator>")
                )))
        #expect(texts.tags.count == ItemTags.maximumCount)
        #expect(texts.details.credit?.unicodeScalars.count == PictureDetails.maximumCredit - 1)
        let entry = ImportEntry(file: "a", id: nil, description: nil, location: nil, comments: []).completed(by: texts)
        let description = entry.description ?? ""
        #expect(description.unicodeScalars.count == FeedItem.maximumDescription && description.last == "👨‍👩‍👧")
    }

    private static var file: PictureTexts {
        var texts = PictureTexts()
        (texts.title, texts.description, texts.place, texts.tags) = ("Title", "Text", "Lisbon", ["sea"])
        texts.details = PictureDetails(alt: "Alt", credit: "Ana", license: "CC0-1.0", source: "https://example.org/")
        return texts
    }

    @Test func `what nothing else says is the file's, and what describes nothing has the file's name`() {
        let entry = ImportEntry(
            file: "a.jpg", id: nil, description: nil, location: nil, comments: [], unnamed: "a")
        let completed = entry.completed(by: Self.file)
        #expect(completed.description == "Title\nText" && completed.location == "Lisbon" && completed.tags == ["sea"])
        #expect(completed.details == Self.file.details)
        #expect(entry.completed(by: PictureTexts()).description == "a")
    }

    @Test func `a manifest's members count before the file's, also empty ones`() async throws {
        try await withTemporaryDirectory { folder in
            let manifest = """
                [{"file":"a.jpg","title":"Mine"},{"file":"b.jpg","description":"","location":null,"tags":[],"alt":"",
                "author":"","licence":null,"origin":null},{"file":"c.jpg"}]
                """
            try Data(manifest.utf8).write(to: URL(filePath: folder + "/manifest.json"))
            let entries = try ImportFolder(path: folder).contents().entries.map { $0.completed(by: Self.file) }
            #expect(entries.map(\.description) == ["Mine", "", "Title\nText"])
            #expect(entries.map(\.location) == ["Lisbon", nil, "Lisbon"])
            #expect(entries.map(\.tags) == [["sea"], [], ["sea"]])
            #expect(entries.map(\.details) == [Self.file.details, PictureDetails(), Self.file.details])
        }
    }
}
