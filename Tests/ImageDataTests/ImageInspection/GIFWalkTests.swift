import Testing

@testable import ImageData

struct GIFWalkTests {
    private let screen = GIFBytes.screen()
    private let frame = GIFBytes.frame()
    private let trailer = GIFBytes.trailer

    @Test func `at least one frame is required`() {
        #expect(inspecting(screen + trailer).fault == "it ends without a picture")
        #expect(inspecting(screen + GIFBytes.comment + GIFBytes.loop + trailer).fault == "it ends without a picture")
    }

    @Test func `a colour table is optional`() {
        #expect(inspecting(GIFBytes.screen(colours: false) + frame + trailer).isAccepted)
    }

    @Test func `a trailer inside a block is data`() {
        #expect(inspecting(screen + frame + GIFBytes.comment.dropLast()) == .failure(.truncated(.gif)))
    }

    @Test func `zeros between blocks are skipped, other bytes are rejected`() {
        #expect(inspecting(screen + [0] + frame + [0, 0] + trailer).isAccepted)
        #expect(inspecting(screen + [1] + frame + trailer).fault == "bytes outside of a block")
    }

    @Test func `the trailer may be missing behind a complete frame`() {
        #expect(inspecting(screen + frame).isAccepted)
        #expect(inspecting(screen + frame + [0]).isAccepted)
        #expect(inspecting(screen + frame + frame.dropLast()) == .failure(.truncated(.gif)))
        #expect(inspecting(screen) == .failure(.truncated(.gif)))
    }

    @Test func `a frame must have a size, a valid code size and data`() {
        #expect(inspecting(screen + GIFBytes.frame(0, 12) + trailer).fault == "a frame without width or height")
        let descriptor = frame.prefix(10)
        let codeSize = "an invalid LZW code size"
        #expect(inspecting(screen + descriptor + [0, 1, 9, 0] + trailer).fault == codeSize)
        #expect(inspecting(screen + descriptor + [12, 1, 9, 0] + trailer).fault == codeSize)
        #expect(inspecting(screen + descriptor + [8, 1, 9, 0] + trailer).isAccepted)
        #expect(inspecting(screen + descriptor + [8, 0] + trailer).fault == "a frame without data")
    }

    @Test(arguments: [(0, 0), (16, 12), (10, 12)])
    func `the first frame enlarges the canvas, and later ones do not`(width: Int, height: Int) {
        let image = GIFBytes.screen(width, height) + frame + GIFBytes.frame(10, 10, x: 14, y: 1) + trailer
        let info = ImageInfo(format: .gif, size: PixelSize(width: 16, height: 12), frames: 2)
        #expect(inspecting(image) == .success(info))
    }

    @Test(arguments: [(17, 12, 0, 0), (16, 13, 0, 0), (16, 12, 1, 0), (16, 12, 0, 1)])
    func `a first frame that leaves a part of the canvas transparent is noted with its end`(
        width: Int, height: Int, x: Int, y: Int
    ) {
        let start = GIFBytes.screen(width, height) + GIFBytes.frame(x: x, y: y)
        let info = ImageInfo(
            format: .gif, size: PixelSize(width: max(width, 16 + x), height: max(height, 12 + y)), frames: 2,
            drawing: .partly(end: start.count))
        #expect(inspecting(start + frame + trailer) == .success(info))
    }
}
