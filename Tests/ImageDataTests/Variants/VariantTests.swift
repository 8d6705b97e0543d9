import EdgeModel
import Foundation
import Testing

@testable import ImageData

struct VariantTests {
    private static let hash = stored(1).record.hash

    @Test(
        arguments: [
            (1, 320), (319, 320), (320, 320), (321, 640), (640, 640), (641, 960), (960, 960), (961, 1_280),
            (1_280, 1_280),
            (1_281, nil), (.max, nil),
        ] as [(Int, Int?)])
    func `the next width is used, and above the last the original`(wanted: Int, used: Int?) {
        let variant = Variant(of: Self.hash, contentType: "image/jpeg", width: wanted, acceptsWebP: true)
        #expect(variant?.width == used)
    }

    @Test(
        arguments: [
            ("image/jpeg", true, .webp), ("image/png", true, .webp), ("image/avif", true, .webp),
            ("image/jpeg", false, .jpeg), ("image/avif", false, .jpeg), ("image/png", false, .png),
            ("image/gif", false, .png), ("image/webp", false, .webp), ("image/svg+xml", true, nil),
        ] as [(String, Bool, VariantFormat?)])
    func `without WebP every client of the original can read the variant`(
        type: String, acceptsWebP: Bool, format: VariantFormat?
    ) {
        #expect(Variant(of: Self.hash, contentType: type, width: 1, acceptsWebP: acceptsWebP)?.format == format)
    }

    @Test(arguments: [(641, 1, true), (640, 1, false), (639, 1, false), (5_000, 2, false)])
    func `a variant is narrower than the original, and still`(width: Int, frames: Int, isMade: Bool) {
        let variant = Variant(of: Self.hash, width: 640, format: .webp)
        #expect(variant.isMade(from: PictureFacts(width: width, height: 9, frames: frames)) == isMade)
    }
}
