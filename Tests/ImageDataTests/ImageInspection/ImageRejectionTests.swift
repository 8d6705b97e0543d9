import Testing

import ImageData

struct ImageRejectionTests {
    @Test(
        arguments: [
            (.empty, "the image is empty"),
            (.notAnImage, "the bytes are no JPEG, PNG, GIF, WebP or AVIF image"),
            (
                .truncated(.jpeg),
                "the bytes end before the JPEG does (truncated): copy or download it again, or save it anew with a picture editor"
            ),
            (.malformed(.webp, "a frame outside the canvas"), "the WebP is malformed: a frame outside the canvas"),
            (.tooManyPixels(count: 51, limit: 50), "51 pixels are more than the 50 allowed"),
            (.tooManyPixelsOfFrames(count: 51, limit: 50), "51 pixels over all frames are more than the 50 allowed"),
        ] as [(ImageRejection, String)])
    func `each rejection has a readable reason`(rejection: ImageRejection, reason: String) {
        #expect(rejection.reason == reason)
    }

    @Test func `each format has its media type`() {
        let types = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"]
        #expect(ImageFormat.allCases.map(\.contentType) == types)
    }
}
