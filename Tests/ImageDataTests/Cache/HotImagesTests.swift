import Testing

@testable import image_data_service

@Suite struct HotImagesTests {
    @Test func `the default budget`() { #expect(HotImages.defaultBudget == 67_108_864) }

    @Test(arguments: [(0, true), (1, false)]) func `an image counts with its record and its URL in two tables`(
        missing: Int, fits: Bool
    ) {
        let hot = HotImages(budget: pictureSize + 512 + 2 * url(1).utf8.count - missing)
        hot.keep(cached(1), at: url(1))
        #expect((hot.peek(url(1)) != nil) == fits)
    }
}
