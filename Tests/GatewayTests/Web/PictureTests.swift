import Testing

@testable import gateway

struct PictureTests {
    @Test(
        arguments: [
            (nil, nil, nil), (0, 10, nil), (640, 480, 1.3333), (4, 5, 0.8), (1, 50_000_000, 0),
            (50_000_000, 1, 50_000_000),
        ] as [(Int?, Int?, Double?)])
    func `a box has the ratio of its picture if its size is known`(width: Int?, height: Int?, ratio: Double?) {
        #expect(PictureBox(width: width, height: height).ratio == ratio)
    }

    @Test func `a picture of unknown size is a square`() {
        let box = PictureBox(width: nil, height: 480)
        #expect(box.width == box.height)
    }
}
