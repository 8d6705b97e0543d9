import FeedContract
import Foundation
import Testing

@testable import gateway

@Suite struct PictureNameTests {
    private static let id = UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01")!

    private func name(_ description: String?, _ location: String? = nil, _ type: String = "image/jpeg") -> String {
        let item = FeedItem(id: Self.id, description: description, location: location, image: "urn:x:y")
        let text = PictureName.disposition(of: item, contentType: type)
        #expect(text.hasPrefix("inline; filename=\"") && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        return String(text.dropFirst("inline; ".count))
    }

    @Test func `a picture has the name of its title, and the end of its kind`() {
        #expect(name("A tower\nin fog") == #"filename="A tower.jpg""#)
        #expect(name(nil, "Porto", "image/webp") == #"filename="Porto.webp""#)
        #expect(name("A tower", nil, "image/x") == #"filename="A tower""#)
        #expect(name(nil) == #"filename="\#(Self.id).jpg""#)
    }

    @Test func `letters beyond ASCII are encoded, with a name for old clients`() {
        #expect(name("Praça") == #"filename="Pra_a.jpg"; filename*=UTF-8''Pra%C3%A7a.jpg"#)
        #expect(name("50% off") == #"filename="50_ off.jpg"; filename*=UTF-8''50%25%20off.jpg"#)
    }

    @Test(arguments: [
        ("../../etc/passwd", "etc passwd"), ("a\\b:c*d?e\"f<g>h|i", "a b c d e f g h i"), (".hidden.", "hidden"),
        ("fly\u{202E}gpj.exe", "fly gpj.exe"), ("tab\there", "tab here"), (" ... ", id.uuidString),
    ])
    func `what a file name cannot have is left out`(title: String, expected: String) {
        #expect(name(title) == "filename=\"\(expected).jpg\"")
    }

    @Test func `joiners of words and emoji stay`() {
        for title in ["می\u{200C}خواهم", "👩\u{200D}👧"] {
            let encoded = title.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init())) ?? ""
            #expect(name(title).hasSuffix("UTF-8''\(encoded).jpg"))
        }
    }

    @Test(arguments: [(119, 119), (120, 120), (121, 120)]) func `a long title is cut`(length: Int, kept: Int) {
        #expect(
            name(String(repeating: "a", count: length)) == "filename=\"\(String(repeating: "a", count: kept)).jpg\"")
        let flags = String(repeating: "🇧🇷", count: 20)
        #expect(name(flags).hasSuffix("UTF-8''\(String(repeating: "%F0%9F%87%A7%F0%9F%87%B7", count: 15)).jpg"))
    }
}
