import Foundation
import Testing

@testable import ImageData

/// A complete image with its expected properties.
struct SampleImage: CustomTestStringConvertible {
    let name: String
    let bytes: Data
    let info: ImageInfo

    init(
        _ name: String, _ format: ImageFormat, width: Int = 16, height: Int = 12, frames: Int = 1,
        drawing: ImageInfo.Drawing = .same, _ bytes: Bytes
    ) {
        self.name = name
        self.bytes = Data(bytes)
        self.info = ImageInfo(
            format: format, size: PixelSize(width: width, height: height), frames: frames, drawing: drawing)
    }

    init(_ name: String, _ format: ImageFormat, width: Int, height: Int, frames: Int, base64: String) {
        let bytes = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
        self.init(name, format, width: width, height: height, frames: frames, Bytes(bytes))
    }

    var testDescription: String { name }

    static let all = handMade + EncodedImages.all

    private static let handMade = [
        SampleImage("a baseline JPEG", .jpeg, JPEGBytes.image()),
        SampleImage("a progressive JPEG of several scans", .jpeg, JPEGBytes.manyScans),
        SampleImage("a JPEG with a thumbnail and marks in a comment", .jpeg, JPEGBytes.withThumbnail),
        SampleImage("a JPEG with fill bytes", .jpeg, JPEGBytes.withFillBytes),
        SampleImage("a PNG", .png, PNGBytes.image()),
        SampleImage("an APNG", .png, frames: 2, PNGBytes.animated),
        SampleImage(
            "an APNG with a default image", .png, frames: 2, drawing: .other, PNGBytes.animatedWithDefaultImage),
        SampleImage("a GIF 87a", .gif, GIFBytes.image(version: "87a")),
        SampleImage("a GIF 89a", .gif, GIFBytes.image()),
        SampleImage("an animated GIF", .gif, frames: 3, GIFBytes.animated),
        SampleImage("a lossy WebP", .webp, WebPBytes.container(WebPBytes.lossy())),
        SampleImage("a lossless WebP", .webp, WebPBytes.container(WebPBytes.lossless())),
        SampleImage(
            "an extended WebP", .webp,
            WebPBytes.container(
                WebPBytes.extended() + WebPBytes.chunk("ICCP", zeros(7)) + WebPBytes.lossless()
                    + WebPBytes.chunk("EXIF", zeros(5)))),
        SampleImage(
            "an animated WebP", .webp, frames: 2,
            WebPBytes.animated(
                frames: WebPBytes.frame()
                    + WebPBytes.frame(4, 4, x: 12, y: 8, picture: WebPBytes.chunk("ALPH", [1]) + WebPBytes.lossy(4, 4)))
        ),
        SampleImage("an AVIF", .avif, AVIFBytes.image()),
        SampleImage("an AVIF sequence", .avif, frames: 4, AVIFBytes.sequence()),
    ]
}
