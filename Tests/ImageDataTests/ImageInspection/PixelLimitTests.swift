import Foundation
import Testing

@testable import ImageData

struct PixelLimitTests {
    typealias Image = @Sendable (_ width: Int, _ height: Int) -> Bytes

    static let stills: [(name: String, image: Image)] = [
        ("JPEG", { JPEGBytes.image($0, $1) }),
        ("PNG", { PNGBytes.image($0, $1) }),
        ("GIF", { GIFBytes.image($0, $1) }),
        ("lossy WebP", { WebPBytes.container(WebPBytes.lossy($0, $1)) }),
        ("lossless WebP", { WebPBytes.container(WebPBytes.lossless($0, $1)) }),
        ("extended WebP", { WebPBytes.container(WebPBytes.extended($0, $1) + WebPBytes.lossy($0, $1)) }),
        ("AVIF", { AVIFBytes.image($0, $1) }),
    ]

    /// Five frames each.
    static let animations: [(name: String, image: Image)] = [
        (
            "PNG",
            { width, height in
                PNGBytes.signature + PNGBytes.header(width, height) + PNGBytes.animation(of: 5)
                    + PNGBytes.frame(width, height) + PNGBytes.data
                    + (1...4).flatMap { _ in PNGBytes.frame() + PNGBytes.frameData } + PNGBytes.end
            }
        ),
        (
            "GIF",
            { width, height in
                GIFBytes.screen(width, height) + (1...5).flatMap { _ in GIFBytes.frame() } + GIFBytes.trailer
            }
        ),
        (
            "WebP",
            { WebPBytes.animated($0, $1, frames: (1...5).flatMap { _ in WebPBytes.frame() }) }
        ),
        (
            "AVIF",
            { width, height in
                let samples = AVIFBytes.Samples(count: 5, lengths: [1], runs: [(1, 5)], places: [0])
                return AVIFBytes.sequence(width, height, samples: samples)
            }
        ),
    ]

    @Test func `the limits are fifty megapixels a frame, and a thousand over all frames`() {
        #expect(ImageInspector.maximumPixels == 50_000_000)
        #expect(ImageInspector.maximumPixelsOfFrames == 1_000_000_000)
    }

    @Test(arguments: stills.indices)
    func `a still image may have exactly the maximum number of pixels`(index: Int) {
        let (name, image) = Self.stills[index]
        #expect(inspecting(image(5_000, 10_000)).isAccepted, "\(name)")
        let past = inspecting(image(3_561, 14_041))
        #expect(past == .failure(.tooManyPixels(count: 50_000_001, limit: 50_000_000)), "\(name)")
    }

    @Test(arguments: animations.indices)
    func `each frame of an animation may have the maximum number of pixels`(index: Int) {
        let (name, image) = Self.animations[index]
        #expect(inspecting(image(5_000, 10_000)).frames == 5, "\(name)")
        let past = inspecting(image(3_561, 14_041))
        #expect(past == .failure(.tooManyPixels(count: 50_000_001, limit: 50_000_000)), "\(name)")
    }

    @Test(arguments: [(20, true), (21, false)])
    func `an animation counts its canvas once for each frame`(frames: Int, isAccepted: Bool) {
        let size = PixelSize(width: 5_000, height: 10_000)
        let result = Result { () throws(ImageRejection) in try ImageInspector.check(size, frames: frames, of: .gif) }
        if case .failure(let error) = result {
            #expect(!isAccepted && error == .tooManyPixelsOfFrames(count: 1_050_000_000, limit: 1_000_000_000))
        } else {
            #expect(isAccepted)
        }
    }

    @Test(arguments: stills.indices)
    func `a width or height of zero is rejected`(index: Int) {
        let (name, image) = Self.stills[index]
        guard name != "lossless WebP", name != "extended WebP" else { return }  // which cannot represent zero
        #expect(!inspecting(image(0, 12)).isAccepted, "\(name)")
        #expect(!inspecting(image(16, 0)).isAccepted, "\(name)")
    }

    @Test func `a product that overflows is over the limit`() {
        let largest = PNGBytes.image(0xFFFF_FFFF, 0xFFFF_FFFF)
        #expect(inspecting(largest) == .failure(.tooManyPixels(count: .max, limit: 50_000_000)))
        #expect(PixelSize(width: 1 << 31, height: 1 << 31).pixels(frames: 4) == .max)
        #expect(PixelSize(width: 1 << 31, height: 1 << 31).pixels() == 1 << 62)
    }
}
