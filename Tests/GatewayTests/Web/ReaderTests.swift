import HTTPTypes
import Presentation
import Testing

@testable import gateway

struct ReaderTests {
    private func reader(_ target: String, _ fields: [HTTPField.Name: String] = [:]) throws -> Reader {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: target)
        for (name, value) in fields { request.headerFields[name] = value }
        return Reader(request, try RequestTarget(target))
    }

    @Test(arguments: [
        ("/", "", "", Language.en), ("/", "el-GR,en;q=0.5", "", .el), ("/", "de, pt;q=0.2, es;q=0.7", "", .es),
        ("/", "el;q=0, pt", "", .ptBR), ("/", "el", "lang=es", .es), ("/?lang=pt-BR", "el", "lang=es", .ptBR),
        ("/?lang=xx", "el", "lang=yy", .el), ("/", "*;q=1, ;;,=", "", .en), ("/", "es;q=x, el;q=0.1", "", .el),
    ])
    func `the language is that of the link, else of the cookie, else of the browser`(
        target: String, accepted: String, cookie: String, language: Language
    ) throws {
        #expect(try reader(target, [.acceptLanguage: accepted, .cookie: cookie]).language == language)
    }

    @Test func `settings are read from cookies, and unknown values are ignored`() throws {
        let known = try reader("/", [.cookie: "a=b; theme=dark;layout=grid "])
        #expect(known.theme == .dark && known.layout == .grid)
        let unknown = try reader("/", [.cookie: "theme=\"dark\"; layout; theme"])
        #expect(unknown.theme == .auto && unknown.layout == .list)
    }

    @Test(arguments: [
        ("/?theme=dark", "/", ["theme=dark"]),
        ("/?after_id=1&layout=grid&limit=2", "/?after_id=1&limit=2", ["layout=grid"]),
        ("/image/x/picture?lang=el&theme=auto", "/image/x/picture", ["lang=el", "theme=auto"]),
        // However the name is spelled: otherwise the page would lead to itself.
        ("/?%6Cang=el&a=%6Cang", "/?a=%6Cang", ["lang=el"]), ("/?%6c%61ng=el&lang=es", "/", ["lang=el"]),
        ("//evil.example/?theme=dark", "/evil%2Eexample", ["theme=dark"]),
        ("/%0d%0aSet-Cookie:x?theme=dark", "/%0D%0ASet%2DCookie%3Ax", ["theme=dark"]),
        ("http://evil.example/?theme=light", "/", ["theme=light"]),
    ])
    func `a link that changes a setting keeps it and leads back to the page of this server`(
        target: String, location: String, cookies: [String]
    ) throws {
        for (base, path) in [("", "/"), ("/a/b", "/a/b")] {
            let url = try #require(PublicURL("https://a.example" + base))
            let answer = try #require(try reader(target).answerToChange(url))
            #expect(answer.status == .seeOther && answer.fields[.location] == base + location)
            let set = answer.fields[values: .setCookie]
            #expect(set == cookies.map { "\($0); Path=\(path); Max-Age=31536000; SameSite=Lax" })
        }
    }

    @Test(arguments: ["/", "/?theme=blue", "/?layout", "/?after_id=theme%3Ddark"])
    func `other links change nothing`(target: String) throws {
        #expect(try reader(target).answerToChange(try #require(PublicURL("https://a.example"))) == nil)
    }
}
