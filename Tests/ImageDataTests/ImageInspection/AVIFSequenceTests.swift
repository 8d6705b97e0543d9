import Testing

@testable import ImageData

struct AVIFSequenceTests {
    private typealias Samples = AVIFBytes.Samples

    private func inspect(_ samples: Samples) -> Result<ImageInfo, ImageRejection> {
        inspecting(AVIFBytes.sequence(samples: samples))
    }

    @Test func `the frames are the samples of the picture track`() {
        #expect(inspect(Samples()).frames == 4)
        #expect(inspect(Samples(hasWidePlaces: true)).frames == 4)
        #expect(inspect(Samples(count: 8, lengths: [1], runs: [(1, 3), (2, 4), (3, 1)])).frames == 8)
        #expect(inspect(Samples(count: 1, lengths: [8], runs: [(1, 1)], places: [0])).frames == 1)
    }

    private static func crop(_ width: Int, x: Int) -> Bytes {
        AVIFBytes.box("clap", [width, 1, 12, 1, x, 2, 0, 1].flatMap { be32($0 & 0xFFFF_FFFF) })
    }

    /// The sizes are those that Chromium 156 draws.
    @Test(arguments: [
        (AVIFBytes.box("irot", [0]), (16, 12)), (AVIFBytes.box("irot", [1]), (12, 16)),
        (AVIFBytes.box("irot", [2]), (16, 12)), (AVIFBytes.box("irot", [3]), (12, 16)),
        (crop(8, x: -8), (8, 12)), (crop(8, x: -8) + AVIFBytes.box("irot", [1]), (12, 8)), (crop(8, x: 0), (16, 12)),
        (AVIFBytes.box("irot", []), (16, 12)), (zeros(4), (16, 12)), (be32(9) + ascii("irot"), (16, 12)),
    ]) func `the pictures are turned and cropped as their description says`(boxes: Bytes, size: (Int, Int)) throws {
        let info = try inspecting(AVIFBytes.sequence(shown: boxes)).get()
        #expect((info.shownWidth, info.shownHeight) == size)
    }

    @Test func `a track of another type is no picture track`() {
        #expect(inspecting(AVIFBytes.sequence(handler: "soun")).fault == "it has no track of pictures")
        #expect(inspecting(AVIFBytes.sequence(handler: "auxv")).fault == "it has no track of pictures")
    }

    @Test func `the alpha track is checked too, other tracks are not`() {
        let empty = { (handler: String) in AVIFBytes.sequence(otherTracks: AVIFBytes.track(handler, [])) }
        #expect(inspecting(empty("auxv")).fault == "it has no stbl box")
        #expect(inspecting(empty("soun")).frames == 4)
    }

    @Test(arguments: [0, 3, 5])
    func `the chunks contain exactly the stated number of samples`(count: Int) {
        #expect(inspect(Samples(count: count)).fault == "a track with the wrong number of samples")
    }

    @Test func `a track without samples is rejected`() {
        #expect(inspect(Samples(count: 0, lengths: [], runs: [], places: [])).fault == "it has no frames")
    }

    @Test func `each sample must be inside the file`() {
        #expect(inspect(Samples(places: [0, 2, 6])).rejection == .truncated(.avif))
        #expect(inspect(Samples(lengths: [1, 1, 3, 4])).rejection == .truncated(.avif))
        #expect(inspect(Samples(places: [0, 0xFFFF_0000, 5])).rejection == .truncated(.avif))
        #expect(inspect(Samples(places: [0, Int.max / 2, 5], hasWidePlaces: true)).rejection == .truncated(.avif))
        let huge = Samples(count: 0xFFFF_FFFF, lengths: [0xFFFF_FFFF], runs: [(1, 0xFFFF_FFFF)], places: [0])
        #expect(inspect(huge).rejection == .truncated(.avif))
    }

    @Test func `a truncated table is rejected`() {
        #expect(inspect(Samples(lengths: [1, 1, 3])).fault == "a box too short for its fields")
    }
}
