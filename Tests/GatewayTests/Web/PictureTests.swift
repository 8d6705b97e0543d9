import Testing

@testable import gateway

struct PictureTests {
    @Test(arguments: [
        (nil, nil, PictureBox.Shape.square), (0, 10, .square), (640, 480, .whole), (4, 5, .whole), (799, 1_000, .tall),
        (191, 100, .whole), (1_911, 1_000, .wide), (1, 50_000_000, .tall),
    ])
    func `a picture is shown whole between 4:5 and 1.91:1`(width: Int?, height: Int?, shape: PictureBox.Shape) {
        #expect(PictureBox(width: width, height: height).shape == shape)
    }
}
