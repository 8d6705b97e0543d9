import Testing

@testable import ImageData

/// What holds for any AVIF and for its boxes.
struct AVIFWalkTests {
    private let file = AVIFBytes.image()

    @Test func `a compatible brand is as good as its own`() {
        let other = AVIFBytes.brands("mif1", "avif") + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(other).isAccepted)
        let version = AVIFBytes.box("ftyp", ascii("mif1avifheic")) + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(version) == .failure(.notAnImage))
    }

    @Test func `a file that calls itself a sequence has a track`() {
        let other = AVIFBytes.brands("avis", "avif") + file.dropFirst(AVIFBytes.brands().count)
        #expect(inspecting(other).fault == "it ends without a picture")
    }

    @Test func `it has metadata and media data`() {
        #expect(inspecting(AVIFBytes.brands() + AVIFBytes.data).fault == "it ends without a picture")
        let elsewhere = file.dropLast(AVIFBytes.data.count) + AVIFBytes.box("free", zeros(8))
        #expect(inspecting(elsewhere).fault == "it has no media data")
    }

    @Test func `metadata twice is refused`() {
        let meta = file.dropFirst(AVIFBytes.brands().count).dropLast(AVIFBytes.data.count)
        #expect(inspecting(file + meta).fault == "a second box of a type that must be unique")
    }

    @Test func `the last box may leave its length open, and its data must be there all the same`() {
        let open = file.dropLast(AVIFBytes.data.count) + be32(0) + AVIFBytes.data.dropFirst(4)
        #expect(inspecting(open).isAccepted)
        #expect(inspecting(open.dropLast()) == .failure(.truncated(.avif)))
    }

    @Test func `a box inside another may not`() {
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
    func `a box cannot be shorter than its own header`(length: Int) {
        #expect(inspecting(file + be32(length) + ascii("free")).fault == "a box with a negative length")
    }

    @Test func `boxes nested without end are not followed`() {
        let nested = (0..<1_000).reduce(Bytes()) { inner, _ in AVIFBytes.box("meta", inner) }
        #expect(!inspecting(AVIFBytes.brands() + nested).isAccepted)
    }
}
