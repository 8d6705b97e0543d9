import Presentation
import Testing

@Suite struct PictureLicenseTests {
    @Test(
        arguments: [
            ("CC-BY-4.0", "licenses/by/4.0/"), ("CC-BY-SA 4.0", "licenses/by-sa/4.0/"),
            ("cc by-nc-nd 3.0", "licenses/by-nc-nd/3.0/"),
            ("CC-BY 2.0", "licenses/by/2.0/"), ("CC0-1.0", "publicdomain/zero/1.0/"), ("CC0", "publicdomain/zero/1.0/"),
        ])
    func `a Creative Commons licence leads to its text`(license: String, path: String) {
        #expect(PictureLicense.url(of: license) == "https://creativecommons.org/" + path)
    }

    @Test func `a web address is its own`() {
        #expect(PictureLicense.url(of: "https://example.org/terms") == "https://example.org/terms")
    }

    @Test(arguments: [("ä", "%C3%A4"), ("<b>", "%3Cb%3E"), ("\"", "%22"), ("%20", "%20")])
    func `a web address is escaped`(text: String, escaped: String) {
        #expect(PictureLicense.url(of: "https://example.org/" + text) == "https://example.org/" + escaped)
    }

    @Test(arguments: [
        "https://example.org/a b", "https://example.org/a\nhttps://example.org/b", "https://example.org/ or MIT",
        "", "MIT", "Public Domain", "CC-BY", "CC-BY-9.9", "CC-XX-4.0", "javascript:alert(1)", "https:", "//a.example",
    ])
    func `any other text leads nowhere`(license: String) {
        #expect(PictureLicense.url(of: license) == nil)
    }

    @Test(arguments: [0, 1]) func `an address has at most 2,048 bytes`(excess: Int) {
        let start = "https://example.org/"
        let license = start + String(repeating: "a", count: PictureLicense.longest + excess - start.utf8.count)
        #expect(PictureLicense.url(of: license) == (excess == 0 ? license : nil))
    }
}
