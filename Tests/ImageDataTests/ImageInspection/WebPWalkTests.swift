import Testing

@testable import ImageData

struct WebPWalkTests {
    private let lossy = WebPBytes.lossy()

    @Test func `the container's length determines the end`() {
        let image = WebPBytes.container(lossy)
        let longer = image.prefix(4) + le32(lossy.count + 6) + image.dropFirst(8)
        #expect(inspecting(longer) == .failure(.truncated(.webp)))
        #expect(inspecting(longer + [0, 0]).fault == "a chunk extends beyond the container")
        let shorter = image.prefix(4) + le32(lossy.count + 2) + image.dropFirst(8)
        #expect(inspecting(shorter).fault == "a chunk extends beyond the container")
        let endless = image.prefix(4) + le32(0xFFFF_FFFF) + image.dropFirst(8)
        #expect(inspecting(endless) == .failure(.truncated(.webp)))
    }

    @Test func `the container may exclude the last padding byte`() {
        let odd = WebPBytes.chunk("EXIF", zeros(5)).dropLast()
        #expect(inspecting(WebPBytes.container(lossy + odd)).isAccepted)
        #expect(inspecting(WebPBytes.container(lossy + odd) + [0]).isAccepted)
        #expect(inspecting(WebPBytes.container(lossy + odd + [0])).isAccepted)
    }

    @Test func `the first chunk must be a picture or a canvas`() {
        let exif = WebPBytes.chunk("EXIF", zeros(4))
        #expect(inspecting(WebPBytes.container(exif + lossy)).fault == "it does not begin with a picture")
        #expect(inspecting(WebPBytes.container([])).fault == "a chunk extends beyond the container")
        #expect(inspecting(WebPBytes.container(WebPBytes.extended() + exif)).fault == "it ends without a picture")
    }

    @Test func `a lossy picture must be a key frame with a start code and a first partition`() {
        let wrong = WebPBytes.chunk("VP8 ", [0x01, 0, 0, 0x9D, 0x01, 0x2A] + le16(16) + le16(12) + [1])
        #expect(inspecting(WebPBytes.container(wrong)).fault == "a picture that is not a key frame")
        let codeless = WebPBytes.chunk("VP8 ", [0x00, 0, 0, 0x9D, 0x01, 0x2B] + le16(16) + le16(12) + [1])
        #expect(inspecting(WebPBytes.container(codeless)).fault == "a VP8 picture without its start code")
        let short = WebPBytes.lossy(partition: 4)
        #expect(inspecting(WebPBytes.container(short)).fault == "a chunk too short for its fields")
    }

    @Test func `the bits for scaling are not part of the size`() {
        let scaled = WebPBytes.lossy(16 | 0xC000, 12 | 0xC000)
        let info = ImageInfo(format: .webp, size: PixelSize(width: 16, height: 12))
        #expect(inspecting(WebPBytes.container(scaled)) == .success(info))
    }

    @Test func `a lossless picture must have a known version and data`() {
        let version = WebPBytes.container(WebPBytes.lossless(version: 1))
        #expect(inspecting(version).fault == "a VP8L picture of an unknown version")
        let unsigned = WebPBytes.container(WebPBytes.chunk("VP8L", [0x2E] + zeros(8)))
        #expect(inspecting(unsigned).fault == "a VP8L picture without its signature")
        let empty = WebPBytes.container(WebPBytes.chunk("VP8L", [0x2F] + zeros(4)))
        #expect(inspecting(empty).fault == "a picture without data")
    }

    @Test func `a still picture must have the size of the canvas`() {
        let canvas = WebPBytes.extended()
        let other = WebPBytes.container(canvas + WebPBytes.lossy(16, 11))
        #expect(inspecting(other).fault == "a picture whose size differs from the canvas")
        #expect(inspecting(WebPBytes.container(canvas + lossy + lossy)).fault == "an unexpected picture")
    }

    @Test func `frames require an announced animation`() {
        let frame = WebPBytes.frame()
        let still = WebPBytes.extended() + WebPBytes.animation
        #expect(inspecting(WebPBytes.container(still + frame)).fault == "a frame without an animation header")
        let headless = WebPBytes.extended(isAnimated: true)
        #expect(inspecting(WebPBytes.container(headless + frame)).fault == "a frame without an animation header")
        #expect(inspecting(WebPBytes.animated(frames: lossy)).fault == "an unexpected picture")
        #expect(inspecting(WebPBytes.animated(frames: [])).fault == "it ends without a picture")
        #expect(inspecting(WebPBytes.animated(frames: frame + frame + frame)).frames == 3)
    }

    @Test(arguments: [(17, 12, 0, 0), (16, 12, 2, 0), (4, 4, 12, 10), (1, 1, 0x1FF_FFFE, 0)])
    func `a frame must be inside the canvas`(width: Int, height: Int, x: Int, y: Int) {
        let image = WebPBytes.animated(frames: WebPBytes.frame(width, height, x: x, y: y))
        #expect(inspecting(image).fault == "a frame outside the canvas")
    }

    @Test func `a frame must have one picture of its size`() {
        let alpha = WebPBytes.chunk("ALPH", [1, 2])
        let none = WebPBytes.animated(frames: WebPBytes.frame(picture: alpha))
        #expect(inspecting(none).fault == "a frame without a picture")
        let two = WebPBytes.animated(frames: WebPBytes.frame(picture: lossy + lossy))
        #expect(inspecting(two).fault == "two pictures in a frame")
        let other = WebPBytes.animated(frames: WebPBytes.frame(picture: WebPBytes.lossy(16, 10)))
        #expect(inspecting(other).fault == "a picture whose size differs from its frame")
    }
}
