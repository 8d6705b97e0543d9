import Testing

@testable import gateway

struct ImageCommandTests {
    @Test(arguments: [
        ("a.jpg", "image/webp", true), ("a.JPEG", "image/jpeg", false), ("a.webp", "image/webp", false),
        ("a", "image/webp", false), ("a.image", "image/webp", false), ("b.png", "image/gif", true),
    ])
    func `a file has the ending of another format`(file: String, type: String, isOther: Bool) {
        #expect(ImageCommand.hasOtherEnding(file, than: type) == isOther)
    }
}
