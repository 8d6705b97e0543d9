import Testing

@testable import EdgeModel

struct WebAddressTests {
    @Test(arguments: [
        ("https://a.org/100%.jpg", "https://a.org/100%25.jpg"), ("https://a.org/%zz%", "https://a.org/%25zz%25"),
        ("https://a.org/a[1].jpg?b[]=1", "https://a.org/a%5B1%5D.jpg?b%5B%5D=1"),
        ("https://a.org/#b#c", "https://a.org/#b%23c"), ("https://[::1]/%C3%A9#b", "https://[::1]/%C3%A9#b"),
        ("https://a.org/", "https://a.org/"),
    ]) func `a strict address escapes what RFC 3986 forbids in its place`(address: String, strict: String) {
        #expect(WebAddress.strict(address) == strict)
        #expect(WebAddress.strict(strict) == strict)
    }
}
