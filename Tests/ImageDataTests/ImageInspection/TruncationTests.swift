import Foundation
import Testing

@testable import ImageData

struct TruncationTests {
    @Test(arguments: SampleImage.all)
    func `every proper prefix of an image is rejected`(image: SampleImage) {
        for length in 0..<image.bytes.count {
            #expect(!inspecting(image.bytes.prefix(length)).isAccepted, "the first \(length) bytes")
        }
    }

    @Test(arguments: SampleImage.all)
    func `an image without its last byte is rejected as truncated`(image: SampleImage) {
        #expect(inspecting(image.bytes.dropLast()) == .failure(.truncated(image.info.format)))
    }
}
