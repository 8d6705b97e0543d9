import EdgeModel
import Foundation
import RPCTestKit
import Testing

@testable import ImageData
@testable import Processes
@testable import image_data_service

/// The real `vipsthumbnail`, with generated and with hostile pictures. Needs Debian's package libvips-tools.
struct VipsTests {
    private static let program = VipsThumbnail(in: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    private static let sample = Program.repository + "/deploy/sample"

    private func thumbnailer() throws -> Thumbnailer {
        var thumbnailer = Thumbnailer(program: try #require(Self.program, "install libvips-tools"))
        // A slow machine makes the variants, too.
        thumbnailer.program.limits.time = .seconds(600)
        return thumbnailer
    }

    private func variant(of data: Data, _ width: Int = 320, _ format: VariantFormat = .webp) async throws -> Data {
        try await thumbnailer().variant(of: data, width: width, format: format, maximumBytes: 2_000_000)
    }

    private func placeholder(of data: Data) async throws -> Placeholder {
        try await thumbnailer().placeholder(of: data, PictureFacts(ImageInspector.inspect(data)))
    }

    /// Runs `vips`, for making pictures.
    private static func vips(_ arguments: String...) throws {
        #expect(try Spawn.run(["/usr/bin/vips"] + arguments) == 0)
    }

    /// A picture of four colours: red and green above blue and white.
    private static func quarters(_ width: Int = 400, _ height: Int = 200, type: String = "jpg") async throws -> Data {
        try await withTemporaryDirectory { directory async throws in
            var ppm = Data("P6\n\(width) \(height)\n255\n".utf8)
            for y in 0..<height {
                for x in 0..<width {
                    ppm.append(contentsOf: colours[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)])
                }
            }
            try ppm.write(to: URL(filePath: directory + "/a.ppm"))
            try vips("copy", directory + "/a.ppm", "\(directory)/a.\(type)")
            return try Data(contentsOf: URL(filePath: "\(directory)/a.\(type)"))
        }
    }

    private static let colours: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]

    /// The colours of the corners: the index in `colours` of top left, top right, bottom left and bottom right.
    private func corners(_ placeholder: Placeholder) -> [Int] {
        let pixels = Array(placeholder.pixels)
        let last = (placeholder.columns - 1, placeholder.rows - 1)
        return [(0, 0), (last.0, 0), (0, last.1), last].map { column, row in
            let start = 3 * (row * placeholder.columns + column)
            let distances = Self.colours.map { colour in
                (0..<3).reduce(0) { $0 + abs(Int(colour[$1]) - Int(pixels[start + $1])) }
            }
            return distances.firstIndex(of: distances.min() ?? 0) ?? -1
        }
    }

    @Test(arguments: ["lighthouse.jpg", "koi.png", "lanterns.webp", "snowfall.gif"], VariantFormat.allCases)
    func `a variant has its width, its format and the ratio of the original`(
        file: String, format: VariantFormat
    ) async throws {
        let data = try Data(contentsOf: URL(filePath: "\(Self.sample)/\(file)"))
        let original = try ImageInspector.inspect(data)
        let made = try ImageInspector.inspect(await variant(of: data, 320, format))
        #expect(made.format.contentType == format.contentType && made.width == min(320, original.width))
        let expected = Double(original.height) * Double(made.width) / Double(original.width)
        #expect(abs(Double(made.height) - expected) <= 1)
    }

    // MARK: Colours. The expected ones are those that Chromium 156 draws on a canvas.

    /// The colour of all test pictures, in RGB and in grey.
    private static let (green, grey) = ([60, 180, 75] as [UInt8], 90 as UInt8)

    /// A picture of one colour.
    private static func plain(_ type: String, _ colour: [UInt8] = green, _ options: String...) async throws -> Data {
        try await withTemporaryDirectory { directory async throws in
            let pixels = Data(Array(repeating: colour, count: 400 * 300).joined())
            let header = Data("P\(colour.count == 1 ? 5 : 6)\n400 300\n255\n".utf8)
            try (header + pixels).write(to: URL(filePath: directory + "/a.ppm"))
            let command = ["/usr/bin/vips", "copy", directory + "/a.ppm", "\(directory)/a.\(type)"]
            #expect(try Spawn.run(command + options) == 0)
            return try Data(contentsOf: URL(filePath: String(command[3].prefix { $0 != "[" })))
        }
    }

    /// Expects this colour of the placeholder, and of the variant if there is one.
    private func expect(
        _ data: Data, is wanted: [Int], hasVariant: Bool = true, at location: SourceLocation = #_sourceLocation
    ) async throws {
        var pictures = [data]
        if hasVariant {
            pictures.append(try await variant(of: data, 320, .png))
        } else {
            await #expect(throws: Thumbnailer.LooksDifferent.self, sourceLocation: location) {
                try await variant(of: data)
            }
        }
        for picture in pictures {
            let seen = Array(try await placeholder(of: picture).pixels.prefix(3))
            for (seen, wanted) in zip(seen.map(Int.init), wanted) {
                #expect(abs(seen - wanted) <= 4, "\(seen)", sourceLocation: location)
            }
        }
    }

    @Test(
        arguments: [
            ([0, 1, 0, 13], [60, 180, 75], true), ([0, 2, 0, 2], [60, 180, 75], true),
            ([0, 12, 0, 13], [0, 183, 57], true), ([0, 12, 0, 1], [0, 183, 57], true),
            ([0, 9, 0, 13], [0, 190, 48], true), ([0, 9, 0, 14], [0, 190, 48], true),
            ([0, 1, 0, 4], [56, 182, 73], true), ([0, 1, 0, 8], [132, 219, 147], true),
            ([0, 6, 0, 6], [72, 179, 73], true), ([0, 5, 0, 5], [1, 166, 53], true),
            ([0, 9, 0, 16], [60, 180, 75], false), ([0, 9, 0, 18], [60, 180, 75], false),
            ([0, 10, 0, 13], [60, 180, 75], false),
        ] as [([UInt8], [Int], Bool)])
    func `the colours that an AVIF names are converted, and HDR has no variants`(
        codes: [UInt8], expected: [Int], hasVariant: Bool
    ) async throws {
        var data = try await Self.plain("avif[compression=av1,lossless]")
        let box = try #require(data.range(of: Data("colrnclx".utf8)))
        data.replaceSubrange(box.upperBound..<box.upperBound + 4, with: codes)
        try await expect(data, is: expected, hasVariant: hasVariant)
    }

    private static func cHRM(_ numbers: [Double]) -> Bytes {
        PNGBytes.chunk("cHRM", numbers.flatMap { be32(Int(($0 * 100_000).rounded())) })
    }

    private static func gAMA(_ gamma: Int) -> Bytes { PNGBytes.chunk("gAMA", be32(gamma)) }

    private static func cICP(_ primaries: UInt8, _ transfer: UInt8) -> Bytes {
        PNGBytes.chunk("cICP", [primaries, transfer, 0, 1])
    }

    private static let adobe = cHRM([0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06])
    private static let rec709 = cHRM([0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06])

    /// The profiles of Display P3 and of a grey.
    private static let displayP3 =
        ICCProfile.rgb(.init([0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06]), .sRGB) ?? Data()
    private static let darkGrey = ICCProfile.grey(.gamma(1.8))

    @Test(
        arguments: [
            (cICP(1, 13), [60, 180, 75], true), (cICP(12, 13), [0, 183, 57], true), (cICP(9, 13), [0, 189, 50], true),
            (cICP(12, 1), [0, 179, 42], true), (cICP(1, 1), [49, 176, 65], true), (cICP(1, 8), [133, 219, 148], true),
            (cICP(9, 16), [60, 180, 75], false), (cICP(9, 18), [60, 180, 75], false),
            (cICP(12, 13) + adobe + gAMA(45_455), [0, 183, 57], true),
            // Not of RGB in its full range.
            (PNGBytes.chunk("cICP", [12, 13, 0, 0]), [60, 180, 75], true),
            (gAMA(45_455), [60, 180, 75], true), (gAMA(46_000), [60, 180, 75], true), (gAMA(0), [60, 180, 75], true),
            (gAMA(55_556), [77, 193, 93], true), (gAMA(100_000), [133, 219, 148], true),
            (adobe, [60, 180, 75], true), (adobe + gAMA(45_455), [0, 181, 64], true),
            (rec709 + gAMA(45_455), [57, 181, 74], true), (rec709 + gAMA(55_556), [77, 193, 93], true),
            (cHRM(Array(repeating: 0, count: 8)) + gAMA(45_455), [60, 180, 75], true),
            (PNGBytes.chunk("sRGB", [0]) + adobe + gAMA(100_000), [60, 180, 75], true),
            (PNGBytes.profile(displayP3), [0, 183, 57], true),
            (PNGBytes.profile(displayP3) + adobe + gAMA(100_000), [0, 183, 57], true),
            (PNGBytes.profile(Data("junk".utf8)) + adobe + gAMA(45_455), [0, 181, 64], true),
            (PNGBytes.profile(darkGrey), [60, 180, 75], true),
            // libvips would take the embedded profile, or the last one.
            (cICP(12, 13) + PNGBytes.profile(displayP3), [0, 183, 57], false),
            (cICP(1, 13) + PNGBytes.profile(displayP3), [0, 183, 57], false),
            (PNGBytes.profile(displayP3) + PNGBytes.profile(displayP3), [0, 183, 57], false),
            // As long as no such chunk is.
            (PNGBytes.chunk("cICP", [12, 13, 0, 1, 0]), [60, 180, 75], true),
            (PNGBytes.chunk("tEXt", ascii("Comment\0iCCP ICC_PROFILE\0 ICCP colrprof")), [60, 180, 75], true),
            (PNGBytes.chunk("prVt", zeros(600_000)) + PNGBytes.profile(displayP3), [0, 183, 57], true),
        ] as [(Bytes, [Int], Bool)])
    func `the chunks of a PNG decide about its colours`(
        chunks: Bytes, expected: [Int], hasVariant: Bool
    ) async throws {
        let png = try await Self.plain("png")
        // After the signature and the first chunk.
        try await expect(png.prefix(33) + chunks + png.dropFirst(33), is: expected, hasVariant: hasVariant)
    }

    @Test(
        arguments: [
            ([], 90), (PNGBytes.profile(darkGrey), 109), (PNGBytes.profile(displayP3), 90), (cICP(12, 13), 90),
            (gAMA(100_000), 160), (adobe + gAMA(45_455), 88),
        ] as [(Bytes, Int)])
    func `a grey PNG has the colours of its chunks`(chunks: Bytes, expected: Int) async throws {
        let png = try await Self.plain("png", [Self.grey])
        try await expect(
            png.prefix(33) + chunks + png.dropFirst(33), is: Array(repeating: expected, count: 3))
    }

    private static func profile(_ profile: Data) -> Bytes {
        JPEGBytes.segment(0xE2, ascii("ICC_PROFILE\0") + [1, 1] + profile)
    }

    @Test(
        arguments: [
            (profile(displayP3), [0, 182, 57]), (profile(darkGrey), [60, 179, 75]),
            (profile(Data("junk".utf8)), [60, 179, 75]), (JPEGBytes.segment(0xFE, ascii("iCCP")), [60, 179, 75]),
            (JPEGBytes.segment(0xFE, ascii("ICC_PROFILE\0")), [60, 179, 75]),
            // Behind more than half a megabyte.
            ((0..<9).flatMap { _ in JPEGBytes.segment(0xEE, zeros(65_000)) } + profile(displayP3), [0, 182, 57]),
        ] as [(Bytes, [Int])])
    func `a JPEG has the colours of its profile, wherever that is`(segments: Bytes, expected: [Int]) async throws {
        let jpeg = try await Self.plain("jpg[Q=95,no_subsample]")
        try await expect(jpeg.prefix(2) + segments + jpeg.dropFirst(2), is: expected)
    }

    /// Display P3 that ends before its stated length, and with a part behind it.
    private static let damaged = [
        Data([0xFF, 0xFF, 0xFF, 0xFF]) + displayP3.dropFirst(4),
        displayP3.prefix(136) + [0xFF, 0xFF, 0xFF, 0] + displayP3.dropFirst(140),
    ]

    @Test(arguments: damaged.map(profile) + [profile(displayP3) + profile(displayP3)])
    func `a JPEG whose profile browsers ignore has no variants`(segments: Bytes) async throws {
        let jpeg = try await Self.plain("jpg[Q=95,no_subsample]")
        await #expect(throws: Thumbnailer.LooksDifferent.self) {
            try await variant(of: jpeg.prefix(2) + segments + jpeg.dropFirst(2))
        }
    }

    @Test(arguments: [([], 90), (profile(displayP3), 90), (profile(darkGrey), 109)] as [(Bytes, Int)])
    func `a grey JPEG has variants with any profile`(segments: Bytes, expected: Int) async throws {
        let jpeg = try await Self.plain("jpg[Q=95]", [Self.grey])
        try await expect(
            jpeg.prefix(2) + segments + jpeg.dropFirst(2), is: Array(repeating: expected, count: 3))
    }

    @Test(arguments: [(displayP3, [0, 183, 57]), (darkGrey, [60, 180, 75])] as [(Data, [Int])])
    func `a WebP has the colours of a profile for its colours`(profile: Data, expected: [Int]) async throws {
        try await expect(Self.webp(profile), is: expected)
    }

    @Test(arguments: damaged) func `a WebP whose profile browsers ignore has no variants`(profile: Data) async throws {
        let webp = try await Self.webp(profile)
        await #expect(throws: Thumbnailer.LooksDifferent.self) { try await variant(of: webp) }
    }

    private static func webp(_ profile: Data) async throws -> Data {
        let picture = try await plain("webp[lossless]").dropFirst(12)
        let header = WebPBytes.chunk("VP8X", [0x20, 0, 0, 0] + le24(399) + le24(299))
        let start = try #require(picture.range(of: Data("VP8L".utf8))).lowerBound
        return Data(WebPBytes.container(header + WebPBytes.chunk("ICCP", Bytes(profile)) + picture[start...]))
    }

    @Test(arguments: ["png", "jpg"]) func `colours without a profile stay as they are`(type: String) async throws {
        let placeholder = try await placeholder(of: Self.quarters(1_200, 900, type: type))
        #expect((placeholder.columns, placeholder.rows) == (4, 3))
        for (position, colour) in [(0, 0), (3, 1), (8, 2), (11, 3)] {
            for component in 0..<3 {
                let value = Int(placeholder.pixels.dropFirst(3 * position + component).first ?? 0)
                #expect(abs(value - Int(Self.colours[colour][component])) <= 4)
            }
        }
    }

    @Test(arguments: ["avif", "png", "webp", "gif", "jpg"]) func `every format of an original is read`(
        type: String
    ) async throws {
        let data = try await Self.quarters(type: type)
        #expect(try ImageInspector.inspect(await variant(of: data)).width == 320)
        #expect(try await corners(placeholder(of: data)) == [0, 1, 2, 3])
    }

    @Test(arguments: [
        (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]), (5, [0, 2, 1, 3]),
        (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
    ])
    func `the orientation is applied, and the size is that of the picture as it is shown`(
        orientation: Int, expected: [Int]
    ) async throws {
        let data = EXIF.jpeg(try await Self.quarters(1_000, 500), orientation: orientation)
        let info = try ImageInspector.inspect(data)
        #expect((info.shownWidth, info.shownHeight) == (orientation < 5 ? (1_000, 500) : (500, 1_000)))
        #expect(try await corners(placeholder(of: data)) == expected)
        for format in VariantFormat.allCases {
            let made = try await variant(of: data, 320, format)
            let shown = try ImageInspector.inspect(made)
            #expect(shown.orientation == .upright && shown.width == 320)
            #expect(shown.height == (orientation < 5 ? 160 : 640))
            #expect(try await corners(placeholder(of: made)) == expected)
        }
    }

    /// Chromium draws all of them upright.
    @Test(arguments: [
        EXIF.tiff(orientation: 6, kind: 1), EXIF.tiff(orientation: 6, kind: 4), EXIF.tiff(orientation: 6, count: 2),
        EXIF.tiff(orientation: 6, isLittle: false, kind: 4), EXIF.tiff(orientation: 9),
    ]) func `what browsers do not read as an orientation turns nothing`(tiff: Bytes) async throws {
        for data in try await Self.carrying(tiff) { try await expect(data, turnedBy: 1) }
    }

    @Test(arguments: [
        EXIF.tiff(orientation: 6, isLittle: false), EXIF.tiff(orientation: 6, others: 100),
    ]) func `an orientation applies in JPEG and PNG, and not in WebP`(tiff: Bytes) async throws {
        for data in try await Self.carrying(tiff) {
            try await expect(data, turnedBy: data.starts(with: ascii("RIFF")) ? 1 : 6)
        }
    }

    @Test func `the orientation is that of browsers, also where libvips reads another one`() async throws {
        let entries = [0, 6].flatMap { be16(0x0112) + be16(3) + be32(1) + be16($0) + zeros(2) }
        let twice = ascii("MM") + be16(42) + be32(8) + be16(2) + entries + be32(0)
        for data in try await Self.carrying(twice).dropLast() { try await expect(data, turnedBy: 6) }
        let jpeg = try await Self.quarters(1_000, 500)
        for first in [ascii("Exif\0\u{1}") + EXIF.tiff(orientation: 6), ascii("Exif\0\0")] {
            let turned = EXIF.jpeg(jpeg, orientation: 6)
            let data = jpeg.prefix(2) + JPEGBytes.segment(0xE1, first) + turned.dropFirst(2)
            try await expect(Data(data), turnedBy: 6)
        }
    }

    /// A JPEG, a PNG and a WebP with Exif data.
    private static func carrying(_ tiff: Bytes) async throws -> [Data] {
        let jpeg = try await quarters(1_000, 500)
        let png = try await quarters(1_000, 500, type: "png")
        let webp = try await quarters(1_000, 500, type: "webp")
        let start = try #require(webp.range(of: Data("VP8 ".utf8))).lowerBound
        let extended = WebPBytes.chunk("VP8X", [0x08, 0, 0, 0] + le24(999) + le24(499))
        return [
            jpeg.prefix(2) + JPEGBytes.segment(0xE1, ascii("Exif\0\0") + tiff) + jpeg.dropFirst(2),
            png.prefix(33) + PNGBytes.chunk("eXIf", tiff) + png.dropFirst(33),
            Data(WebPBytes.container(extended + webp[start...] + WebPBytes.chunk("EXIF", tiff))),
        ]
    }

    private func expect(_ data: Data, turnedBy orientation: Int) async throws {
        let (size, colours) = orientation == 1 ? ((1_000, 500), [0, 1, 2, 3]) : ((500, 1_000), [2, 0, 3, 1])
        let info = try ImageInspector.inspect(data)
        #expect((info.shownWidth, info.shownHeight) == size)
        #expect(try await corners(placeholder(of: data)) == colours)
        let made = try await variant(of: data, 320, .png)
        #expect(try ImageInspector.inspect(made).height == 320 * size.1 / size.0)
        #expect(try await corners(placeholder(of: made)) == colours)
    }

    @Test func `parts of a GIF that its first frame leaves uncovered are transparent`() async throws {
        var gif = try await Self.quarters(type: "gif")
        // The screen is twice as wide, so the right half is uncovered.
        gif.replaceSubrange(6..<8, with: le16(800))
        // No colour of the frame is transparent.
        let control = try #require(gif.range(of: Data([0x21, 0xF9, 4])))
        gif[control.upperBound] &= ~1
        #expect(try ImageInspector.inspect(gif).width == 800)
        for picture in [gif, gif.dropLast(), try await variant(of: gif, 320, .png), try await variant(of: gif)] {
            let placeholder = try await placeholder(of: picture)
            for row in 0..<placeholder.rows {
                // As other transparent parts.
                let last = 3 * (row * placeholder.columns + placeholder.columns - 1)
                #expect(placeholder.pixels.dropFirst(last).prefix(3).allSatisfy { abs(Int($0) - 200) <= 4 })
            }
        }
    }

    @Test func `a picture that browsers draw otherwise has neither variants nor a placeholder`() async throws {
        let data = Data(PNGBytes.animatedWithDefaultImage)
        await #expect(throws: Thumbnailer.LooksDifferent.self) { try await variant(of: data) }
        await #expect(throws: Thumbnailer.LooksDifferent.self) { try await placeholder(of: data) }
    }

    /// Pictures with the camera and the place in every form that their format has.
    private static func personal() async throws -> [(name: String, data: Data)] {
        let tiff = EXIF.tiff(orientation: 6)
        let xmp = ascii("<x:xmpmeta><photoshop:City>\(EXIF.camera)</photoshop:City></x:xmpmeta>")
        let jpeg = try await quarters()
        let segments =
            JPEGBytes.segment(0xE1, ascii("http://ns.adobe.com/xap/1.0/\0") + xmp)
            + JPEGBytes.segment(0xED, ascii("Photoshop 3.0\0") + EXIF.iptc)
            + JPEGBytes.segment(0xFE, ascii(EXIF.camera))
        let png = try await quarters(type: "png")
        let chunks =
            PNGBytes.chunk("eXIf", tiff) + PNGBytes.chunk("tEXt", ascii("Comment\0" + EXIF.camera))
            + PNGBytes.chunk("iTXt", ascii("XML:com.adobe.xmp\0\0\0\0\0") + xmp)
        let webp = try await quarters(type: "webp")
        let start = try #require(webp.range(of: Data("VP8 ".utf8))).lowerBound
        let size = (0..<4).reduce(0) { $0 | Int(webp[start + 4 + $1]) << (8 * $1) }
        let extended = WebPBytes.chunk("VP8X", [0x0C, 0, 0, 0] + le24(399) + le24(199))
        // After the signature and the first chunk.
        let header = 8 + 25
        return [
            ("JPEG", EXIF.jpeg(jpeg.prefix(2) + segments + jpeg.dropFirst(2), orientation: 6)),
            ("PNG", png.prefix(header) + chunks + png.dropFirst(header)),
            (
                "WebP",
                Data(
                    WebPBytes.container(
                        extended + webp[start..<start + 8 + size + size % 2] + WebPBytes.chunk("EXIF", tiff)
                            + WebPBytes.chunk("XMP ", xmp)))
            ),
        ]
    }

    @Test func `the place and the camera are removed`() async throws {
        for (name, data) in try await Self.personal() {
            #expect(data.range(of: Data(EXIF.camera.utf8)) != nil)
            _ = try ImageInspector.inspect(data)
            for format in VariantFormat.allCases {
                let made = try await variant(of: data, 320, format)
                for text in [
                    EXIF.camera, "Exif", "EXIF", "eXIf", "ICC", "iCCP", "XMP", "xmp", "exif-", "tEXt", "iTXt", "zTXt",
                    "8BIM", "Photoshop",
                ] {
                    #expect(made.range(of: Data(text.utf8)) == nil, "\(name) as \(format) has \(text)")
                }
            }
        }
    }

    @Test func `colours of another profile are converted`() async throws {
        let data = try await withTemporaryDirectory { directory async throws in
            try await Self.quarters(400, 300, type: "png").write(to: URL(filePath: directory + "/a.png"))
            try Self.vips("icc_transform", directory + "/a.png", directory + "/p3.png", "p3", "--input-profile", "srgb")
            return try Data(contentsOf: URL(filePath: directory + "/p3.png"))
        }
        #expect(data.range(of: Data("iCCP".utf8)) != nil)
        let pixels = Array(try await placeholder(of: data).pixels)
        // Without conversion, red would be about (234, 51, 35), its numbers in P3.
        #expect(pixels[0] > 250 && pixels[1] < 20 && pixels[2] < 20, "\(pixels.prefix(3))")
        let made = try await variant(of: data, 320, .png)
        #expect(made.range(of: Data("iCCP".utf8)) == nil)
        #expect(Array(try await placeholder(of: made).pixels)[1] < 40)
    }

    @Test func `CMYK, grey, 16 bits and transparency are read`() async throws {
        try await withTemporaryDirectory { directory async throws in
            try await Self.quarters(type: "png").write(to: URL(filePath: directory + "/a.png"))
            try Self.vips(
                "icc_transform", directory + "/a.png", directory + "/cmyk.jpg[strip]", "cmyk", "--input-profile", "srgb"
            )
            try Self.vips("colourspace", directory + "/a.png", directory + "/grey.png", "b-w")
            try Self.vips("colourspace", directory + "/a.png", directory + "/deep.png", "rgb16")
            try Self.vips("bandjoin_const", directory + "/a.png", directory + "/clear.png", "128")
            for file in ["cmyk.jpg", "grey.png", "deep.png", "clear.png"] {
                let data = try Data(contentsOf: URL(filePath: "\(directory)/\(file)"))
                if file == "cmyk.jpg" {
                    await #expect(throws: Thumbnailer.LooksDifferent.self) { try await variant(of: data) }
                }
                for format in VariantFormat.allCases where file != "cmyk.jpg" {
                    #expect(try ImageInspector.inspect(await variant(of: data, 320, format)).width == 320, "\(file)")
                }
                _ = try await placeholder(of: data)
            }
        }
    }

    // MARK: Hostile pictures

    /// `ProcessesTests` prove the limits.
    @Test(arguments: hostile) func `a hostile picture costs no more than the limits`(name: String, data: Data)
        async throws
    {
        let thumbnailer = Thumbnailer(program: try #require(Self.program, "install libvips-tools"))
        do {
            _ = try await thumbnailer.variant(of: data, width: 320, format: .webp, maximumBytes: 1_000_000)
            _ = try await thumbnailer.placeholder(of: data, PictureFacts(width: 4, height: 3, frames: 1))
        } catch is LimitedProcess.Failure {
            // It may also succeed, with what can be read.
        }
    }

    private static let hostile: [(String, Data)] = {
        let photo = (try? Data(contentsOf: URL(filePath: sample + "/lighthouse.jpg"))) ?? Data()
        let giant = PNGBytes.signature + PNGBytes.header(50_000, 50_000) + PNGBytes.data + PNGBytes.end
        let frames = (0..<5_000).flatMap { _ in GIFBytes.image().dropFirst(13).dropLast() }
        return [
            ("a PNG of 50,000 × 50,000", Data(giant)),
            ("a JPEG of 65,535 × 65,535", Data(JPEGBytes.image(65_535, 65_535))),
            ("a GIF of thousands of frames", Data(GIFBytes.image().dropLast() + frames + [0x3B])),
            ("a truncated JPEG", photo.prefix(photo.count / 3)),
            ("a JPEG with holes", photo.prefix(2_000) + Data(count: 50_000) + photo.dropFirst(52_000)),
            ("endless scans", photo.dropLast(2) + Data((0..<20_000).flatMap { _ in JPEGBytes.scan() })),
            ("no picture", Data("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\nshowpage".utf8)),
            ("an SVG", Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>".utf8)),
            ("nothing", Data()),
        ]
    }()

    @Test(arguments: [0, 1]) func `pictures above the pixel limit are refused before a process starts`(index: Int) {
        #expect(throws: ImageRejection.self) { try ImageInspector.inspect(Self.hostile[index].1) }
    }

    @Test func `only pictures are read, whatever libvips can read`() async throws {
        for (name, data) in Self.hostile where ["no picture", "an SVG", "nothing"].contains(name) {
            await #expect(throws: LimitedProcess.Failure.self, "\(name)") { try await variant(of: data) }
        }
    }

    @Test(arguments: ["a JPEG with holes", "a PNG without pixels", "a PNG of 50,000 × 50,000"])
    func `a damaged picture has no variant, and is served itself`(name: String) async throws {
        let pictures = Self.hostile + [("a PNG without pixels", Data(PNGBytes.image(400, 300)))]
        let found = pictures.first { $0.0 == name }
        let data = try #require(found?.1)
        for format in VariantFormat.allCases {
            await #expect(throws: LimitedProcess.Failure.self) { try await variant(of: data, 320, format) }
        }
    }

    @Test func `too much memory fails, and the next picture succeeds`() async throws {
        var thumbnailer = try thumbnailer()
        thumbnailer.program.limits.memoryBytes = 100 << 20
        let data = try await Self.quarters(3_000, 3_000, type: "png")
        await #expect(throws: LimitedProcess.Failure.self) {
            try await thumbnailer.variant(of: data, width: 320, format: .webp, maximumBytes: 1_000_000)
        }
        #expect(try await ImageInspector.inspect(variant(of: data)).width == 320)
    }
}
