import Foundation
import Testing

@testable import ImageData

struct TruncationTests {
    @Test(arguments: SampleImage.all)
    func `every proper prefix of an image is rejected, but that of a GIF which ends behind a complete frame`(
        image: SampleImage
    ) {
        for length in 0..<image.bytes.count {
            let prefix = image.bytes.prefix(length)
            let isWhole = image.info.format == .gif && inspecting(prefix + GIFBytes.trailer).isAccepted
            #expect(inspecting(prefix).isAccepted == isWhole, "the first \(length) bytes")
        }
    }

    @Test(arguments: SampleImage.all.filter { $0.info.format != .gif })
    func `an image without its last byte is rejected as truncated`(image: SampleImage) {
        #expect(inspecting(image.bytes.dropLast()) == .failure(.truncated(image.info.format)))
    }
}
