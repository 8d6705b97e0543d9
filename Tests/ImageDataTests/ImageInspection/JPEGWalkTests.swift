import Testing

@testable import ImageData

struct JPEGWalkTests {
    private let start = JPEGBytes.start
    private let frame = JPEGBytes.frame(16, 12)
    private let scan = JPEGBytes.scan()
    private let end = JPEGBytes.end

    @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as Bytes)
    func `lossless and hierarchical frames are refused, because browsers do not show them`(marker: UInt8) {
        let image = start + JPEGBytes.frame(marker: marker, 300, 200) + scan + end
        #expect(inspecting(image).fault == "a kind of JPEG that browsers do not show")
    }

    @Test(arguments: [0, 7, 8, 9, 12] as Bytes) func `only samples of 8 bits are accepted`(bits: UInt8) {
        let frame = JPEGBytes.segment(0xC1, [bits, 0, 12, 0, 16, 1, 1, 0x11, 0])
        #expect(
            inspecting(start + frame + scan + end).fault
                == (bits == 8 ? nil : "a kind of JPEG that browsers do not show"))
    }

    @Test(arguments: [0xC0, 0xC1, 0xC2, 0xC9, 0xCA] as Bytes)
    func `a frame of any kind that browsers show gives the size`(marker: UInt8) {
        let image = start + JPEGBytes.frame(marker: marker, 300, 200) + scan + end
        let info = ImageInfo(format: .jpeg, size: PixelSize(width: 300, height: 200))
        #expect(inspecting(image) == .success(info))
    }

    @Test func `the markers of an embedded thumbnail are ignored`() {
        let thumbnail = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + JPEGBytes.image(8, 6))
        #expect(inspecting(start + thumbnail) == .failure(.truncated(.jpeg)))
        #expect(inspecting(start + thumbnail + frame + scan) == .failure(.truncated(.jpeg)))
    }

    @Test func `a stuffed end mark in a scan is data`() {
        #expect(inspecting(start + frame + JPEGBytes.scan([1, 0xFF, 0x00, 0xD9])) == .failure(.truncated(.jpeg)))
    }

    @Test func `a frame, a scan and scan data are required`() {
        #expect(inspecting(start + end).fault == "it ends without a picture")
        #expect(inspecting(start + frame + end).fault == "it ends without a picture")
        #expect(inspecting(start + scan + frame + end).fault == "a scan before its frame")
        #expect(inspecting(start + frame + JPEGBytes.scan([]) + end).fault == "a scan without data")
        #expect(inspecting(start + frame + frame + scan + end).fault == "a second frame")
    }

    @Test func `bytes between segments are rejected`() {
        #expect(inspecting(start + frame + [0xFF, 0x00] + scan + end).fault == "an unexpected marker")
        #expect(inspecting(start + frame + start + scan + end).fault == "an unexpected marker")
        let stray = start + JPEGBytes.segment(0xE0, []) + [0] + frame + scan + end
        #expect(inspecting(stray).fault == "bytes outside of a segment")
    }

    @Test func `lengths must match the fields`() {
        let lengthless: Bytes = [0xFF, 0xE0, 0, 1]
        #expect(inspecting(start + lengthless + frame + scan + end).fault == "a segment with a negative length")
        let shortFrame = JPEGBytes.segment(0xC0, [8, 0, 12])
        #expect(inspecting(start + shortFrame + scan + end).fault == "a segment too short for its fields")
        let wrongFrame = JPEGBytes.segment(0xC0, [8, 0, 12, 0, 16, 3, 1, 0x11, 0])
        #expect(inspecting(start + wrongFrame + scan + end).fault == "a frame header of the wrong length")
        let wrongScan = JPEGBytes.segment(0xDA, [1, 1, 0, 0, 63])
        #expect(inspecting(start + frame + wrongScan + [1] + end).fault == "a scan header of the wrong length")
    }
}
