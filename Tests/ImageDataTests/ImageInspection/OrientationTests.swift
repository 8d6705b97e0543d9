import Foundation
import Testing

@testable import ImageData

struct OrientationTests {
    private static let jpeg = Data(JPEGBytes.image(16, 12))

    @Test(arguments: 1...8, [true, false]) func `5 to 8 exchange the sides`(value: Int, isLittle: Bool) throws {
        let info = try ImageInspector.inspect(EXIF.jpeg(Self.jpeg, orientation: value, isLittle: isLittle))
        #expect(info.orientation.value == value && info.width == 16 && info.height == 12)
        #expect(info.shownWidth == (value >= 5 ? 12 : 16) && info.shownHeight == (value >= 5 ? 16 : 12))
    }

    @Test(arguments: [0, 9, 0xFFFF]) func `an unknown orientation is upright`(value: Int) throws {
        #expect(try ImageInspector.inspect(EXIF.jpeg(Self.jpeg, orientation: value)).orientation == .upright)
    }

    @Test(arguments: [(1, 1), (4, 1), (8, 1), (3, 0), (3, 2), (4, 2)], [true, false])
    func `only one SHORT is an orientation`(entry: (kind: Int, count: Int), isLittle: Bool) throws {
        let tiff = EXIF.tiff(orientation: 6, isLittle: isLittle, kind: entry.kind, count: entry.count)
        #expect(try orientation(tiff) == .upright)
    }

    @Test(arguments: [1, 63, 64, 500]) func `an orientation counts behind any number of other entries`(
        others: Int
    ) throws {
        #expect(try orientation(EXIF.tiff(orientation: 6, others: others)).value == 6)
    }

    private func orientation(_ tiff: Bytes) throws -> Orientation {
        let segment = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + tiff)
        return try ImageInspector.inspect(Self.jpeg.prefix(2) + segment + Self.jpeg.dropFirst(2)).orientation
    }

    @Test func `malformed EXIF data is upright, and never refused`() throws {
        let tiff = EXIF.tiff(orientation: 6)
        for length in 0..<tiff.count {
            let segment = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + tiff.prefix(length))
            let data = Self.jpeg.prefix(2) + segment + Self.jpeg.dropFirst(2)
            let orientation = try ImageInspector.inspect(data).orientation
            // The entry of the orientation ends at byte 34.
            #expect(orientation.value == (length < 34 ? 1 : 6), "\(length)")
        }
        for index in 0..<tiff.count {
            var bytes = tiff
            bytes[index] = 0xFF
            let segment = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + bytes)
            _ = try ImageInspector.inspect(Self.jpeg.prefix(2) + segment + Self.jpeg.dropFirst(2))
        }
    }

    @Test(arguments: [[], ascii("MM"), ascii("II*\0\0\0\0"), zeros(20)], [1, 6])
    func `an EXIF segment without EXIF data does not count`(content: Bytes, value: Int) throws {
        let empty = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + content)
        let data = Self.jpeg.prefix(2) + empty + EXIF.jpeg(Self.jpeg, orientation: value).dropFirst(2)
        #expect(try ImageInspector.inspect(data).orientation.value == value)
    }

    @Test func `the first EXIF segment counts, and other segments do not`() throws {
        let first = EXIF.jpeg(EXIF.jpeg(Self.jpeg, orientation: 3), orientation: 6)
        #expect(try ImageInspector.inspect(first).orientation.value == 6)
        let other = JPEGBytes.segment(0xE1, ascii("http://ns.adobe.com/xap/1.0/\0"))
        let data = Self.jpeg.prefix(2) + other + EXIF.jpeg(Self.jpeg, orientation: 8).dropFirst(2)
        #expect(try ImageInspector.inspect(data).orientation.value == 8)
    }

    @Test func `any byte may fill the name of an EXIF segment`() throws {
        let segment = JPEGBytes.segment(0xE1, ascii("Exif\0") + [0xFF] + EXIF.tiff(orientation: 6))
        let data = Self.jpeg.prefix(2) + segment + Self.jpeg.dropFirst(2)
        #expect(try ImageInspector.inspect(data).orientation.value == 6)
    }

    @Test func `an EXIF segment behind pixels turns nothing`() throws {
        let late = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + EXIF.tiff(orientation: 6))
        let data = Data(JPEGBytes.image().dropLast(2) + late + JPEGBytes.end)
        #expect(try ImageInspector.inspect(data).orientation == .upright)
    }

    @Test func `an EXIF chunk turns a PNG if it is before the image data, and never a WebP`() throws {
        let exif = EXIF.tiff(orientation: 6)
        let png =
            PNGBytes.signature + PNGBytes.header() + PNGBytes.chunk("eXIf", exif) + PNGBytes.data + PNGBytes.end
        #expect(try ImageInspector.inspect(Data(png)).shownWidth == 12)
        let late = PNGBytes.signature + PNGBytes.header() + PNGBytes.data + PNGBytes.chunk("eXIf", exif) + PNGBytes.end
        #expect(try ImageInspector.inspect(Data(late)).shownWidth == 16)
        for prefix in [[], ascii("Exif\0\0")] {
            let webp = WebPBytes.container(
                WebPBytes.extended() + WebPBytes.lossless() + WebPBytes.chunk("EXIF", prefix + exif))
            #expect(try ImageInspector.inspect(Data(webp)).shownWidth == 16)
        }
    }

    /// As Chromium, which crops only from the top left, to whole pixels.
    @Test(
        arguments: [
            ([8, 1, 6, 1, -8, 2, -6, 2], 8, 6, .same), ([16, 1, 12, 1, 0, 1, 0, 1], 16, 12, .same),
            ([16, 2, 12, 2, -4, 1, -3, 1], 8, 6, .same), ([8, 1, 6, 1, 0, 1, 0, 1], 16, 12, .other),
            ([17, 1, 12, 1, 1, 2, 0, 1], 16, 12, .other), ([0, 1, 12, 1, -8, 1, 0, 1], 16, 12, .other),
            ([8, 0, 6, 1, -4, 1, -3, 1], 16, 12, .other), ([15, 2, 12, 1, 0, 1, 0, 1], 16, 12, .other),
        ] as [([Int], Int, Int, ImageInfo.Drawing)])
    func `AVIF is cropped where browsers crop it`(
        numbers: [Int], width: Int, height: Int, drawing: ImageInfo.Drawing
    ) throws {
        let crop = AVIFBytes.box("clap", numbers.flatMap(be32))
        for (turns, size) in [(0, (width, height)), (1, (height, width))] {
            let rotation = AVIFBytes.box("irot", [UInt8(turns)])
            let avif = AVIFBytes.still { location in
                AVIFBytes.meta(
                    AVIFBytes.primary, location,
                    AVIFBytes.properties(AVIFBytes.size(16, 12) + crop + rotation, numbers: [0x81, 2, 0x83, 0x84]))
            }
            let info = try ImageInspector.inspect(Data(avif))
            #expect((info.shownWidth, info.shownHeight) == size && info.drawing == drawing)
        }
    }

    @Test(arguments: [(0, 16), (1, 12), (2, 16), (3, 12)]) func `AVIF has a rotation`(turns: Int, width: Int) throws {
        let rotation = AVIFBytes.box("irot", [UInt8(turns)])
        let avif = AVIFBytes.still { location in
            AVIFBytes.meta(
                AVIFBytes.primary, location,
                AVIFBytes.properties(AVIFBytes.size(16, 12) + rotation, numbers: [0x81, 2, 0x83]))
        }
        #expect(try ImageInspector.inspect(Data(avif)).shownWidth == width)
    }
}
