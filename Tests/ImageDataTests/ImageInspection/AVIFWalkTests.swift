import Testing

@testable import ImageData

/// Tests of all AVIF files and their boxes.
struct AVIFWalkTests {
    private let file = AVIFBytes.image()

    @Test func `a compatible brand is accepted`() {
        let other = AVIFBytes.brands("mif1", "avif") + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(other).isAccepted)
        let version = AVIFBytes.box("ftyp", ascii("mif1avifheic")) + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(version) == .failure(.notAnImage))
    }

    @Test func `a file with a sequence brand must have a track`() {
        let other = AVIFBytes.brands("avis", "avif") + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(other).fault == "it ends without a picture")
    }

    @Test func `metadata and media data are required`() {
        #expect(inspecting(AVIFBytes.brands() + AVIFBytes.data).fault == "it ends without a picture")
        let elsewhere = file.dropLast(AVIFBytes.data.count) + AVIFBytes.box("free", zeros(8))
        #expect(inspecting(elsewhere).fault == "it has no media data")
    }

    @Test func `a second metadata box is rejected`() {
        let meta = file.dropFirst(AVIFBytes.brands().count).dropLast(AVIFBytes.data.count)
        #expect(inspecting(file + meta).fault == "a second box of a type that must be unique")
    }

    @Test func `the last box may omit its length but must contain its data`() {
        let open = file.dropLast(AVIFBytes.data.count) + be32(0) + AVIFBytes.data.dropFirst(4)
        #expect(inspecting(open).isAccepted)
        #expect(inspecting(open.dropLast()) == .failure(.truncated(.avif)))
    }

    @Test func `an inner box must have a length`() {
        let open = AVIFBytes.still { AVIFBytes.meta(AVIFBytes.primary, be32(0) + $0.dropFirst(4)) }
        #expect(inspecting(open).fault == "a box with a negative length")
    }

    @Test func `a box may have a length of 64 bits`() {
        let long = { (length: UInt64) in be32(1) + ascii("free") + be64(length) + zeros(4) }
        #expect(inspecting(file + long(20)).isAccepted)
        for wrong in [21, 1 << 62, UInt64.max, UInt64(Int.max)] {
            #expect(inspecting(file + long(wrong)) == .failure(.truncated(.avif)))
        }
        for wrong in 0...15 as ClosedRange<UInt64> {
            #expect(inspecting(file + long(wrong)).fault == "a box with a negative length")
        }
    }

    @Test(arguments: 2...7)
    func `a box shorter than its header is rejected`(length: Int) {
        #expect(inspecting(file + be32(length) + ascii("free")).fault == "a box with a negative length")
    }

    @Test(arguments: [
        zeros(1), zeros(7), zeros(8), zeros(100), ascii("SEFT"), ascii("SEFTSEFTSEFT"), be32(3) + ascii("abcd"),
    ])
    func `bytes behind the picture are ignored, unless they begin a box`(bytes: Bytes) {
        #expect(inspecting(file + bytes).isAccepted)
        #expect(!inspecting(file.dropLast(AVIFBytes.data.count) + bytes).isAccepted)
        #expect(inspecting(file + be32(100) + ascii("free")) == .failure(.truncated(.avif)))
    }

    @Test func `deeply nested boxes are not parsed`() {
        let nested = (0..<1_000).reduce(Bytes()) { inner, _ in AVIFBytes.box("meta", inner) }
        #expect(!inspecting(AVIFBytes.brands() + nested).isAccepted)
    }
}
