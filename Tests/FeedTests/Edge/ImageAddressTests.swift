import Feed
import Foundation
import Testing

/// The image URLs of upstreams.
@Suite struct ImageAddressTests {
    private func image(_ reference: String) throws -> String {
        let reference = String(decoding: try JSONEncoder().encode(reference), as: UTF8.self)
        let page = #"{"items":[{"id":"\#(UUID(number: 1))","image":\#(reference)}]}"#
        return try FeedItemsMapper.map(
            Data(page.utf8), statusCode: 200, page: "https://up.example/api/v1/feed?limit=10"
        ).first?.image ?? ""
    }

    @Test(arguments: [
        ("https://x/1.jpg", "https://x/1.jpg"), ("urn:x:1", "urn:x:1"), ("https://x/a b.jpg", "https://x/a%20b.jpg"),
        ("https://x/é?q=ä b#ü", "https://x/%C3%A9?q=%C3%A4%20b#%C3%BC"), ("https://x/%41 b", "https://x/%41%20b"),
        ("https://x/50%", "https://x/50%25"), ("https://x/a|b\"<>", "https://x/a%7Cb%22%3C%3E"),
        (" https://x/\n1.jpg\t", "https://x/1.jpg"), ("https://bücher.example/1", "https://xn--bcher-kva.example/1"),
    ])
    func `characters that a URL cannot have are encoded`(reference: String, url: String) throws {
        #expect(try image(reference) == url)
    }

    @Test(arguments: [
        ("/1.jpg", "https://up.example/1.jpg"), ("a b.jpg", "https://up.example/api/v1/a%20b.jpg"),
        ("../p/1.jpg?x=1", "https://up.example/api/p/1.jpg?x=1"), ("//cdn.example/é", "https://cdn.example/%C3%A9"),
        ("?image=1", "https://up.example/api/v1/feed?image=1"),
    ])
    func `relative URLs are resolved against the page`(reference: String, url: String) throws {
        #expect(try image(reference) == url)
    }

    @Test(arguments: [
        "", " ", "https://", "http:/x", "ftp://x/1", "javascript:alert(1)", "data:image/png;base64,AA", "urn:",
    ])
    func `an invalid image URL is rejected`(reference: String) {
        #expect(throws: FeedRejection.self) { try image(reference) }
    }
}
