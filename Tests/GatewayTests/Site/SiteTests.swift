import Foundation
import JSON
import Presentation
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// `ROOT/config.json`, and what readers, browsers and feed readers see of it.
@Suite struct SiteTests {
    /// A PNG picture as far as its header.
    private static func png(_ width: UInt32, _ height: UInt32) -> Data {
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8))
        for number in [width, height] { withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The site of a folder with these files.
    private func site(_ files: [String: Data]) async throws -> Site {
        try await withTemporaryDirectory { root in
            for (name, data) in files { try data.write(to: URL(filePath: "\(root)/\(name)")) }
            return try Site(ConfigurationFile(path: root + "/config.json"))
        }
    }

    private func site(_ json: String, logo: Data? = nil) async throws -> Site {
        try await site(["config.json": Data(json.utf8)].merging(logo.map { ["logo.png": $0] } ?? [:]) { $1 })
    }

    // MARK: The file

    @Test func `without a file the site has the standard texts`() async throws {
        let site = try await site([:])
        #expect(site == Site() && site.title(in: .el) == "Το Feed μου")
    }

    @Test(arguments: ["{}", #"{"site":{}}"#, "\u{FEFF}{}"]) func `all members are optional`(json: String) async throws {
        #expect(try await site(json) == Site())
    }

    @Test func `all members are read`() async throws {
        let site = try await site(
            #"{"site":{"title":{"en":"Ana’s photographs","pt-BR":"Fotos da Ana"},"description":"Lisbon","#
                + #""contact":"ana@example.org","logo":"logo.png"}}"#, logo: Self.png(192, 192))
        #expect(site.title(in: .en) == "Ana’s photographs" && site.title(in: .ptBR) == "Fotos da Ana")
        #expect(site.description(in: .es) == "Lisbon" && site.contact == "mailto:ana@example.org")
        #expect(site.logo?.side == 192)
    }

    @Test(arguments: [Site.maximumTitle, Site.maximumTitle + 1]) func `a title has a limit`(count: Int) async throws {
        let json = #"{"site":{"title":"\#(String(repeating: "é", count: count))"}}"#
        if count == Site.maximumTitle {
            _ = try await site(json)
        } else {
            await #expect(throws: FileRejection.self) { try await site(json) }
        }
    }

    @Test(arguments: [Site.maximumDescription, Site.maximumDescription + 1])
    func `a description has a limit`(count: Int) async throws {
        let json = #"{"site":{"description":"\#(String(repeating: "é", count: count))"}}"#
        if count == Site.maximumDescription {
            _ = try await site(json)
        } else {
            await #expect(throws: FileRejection.self) { try await site(json) }
        }
    }

    @Test(
        arguments: [
            ("{\n\"site\":\n{\"titel\":\"a\"}}", 3, "titel"), ("{", 1, "member name"),
            ("{\"site\":{\n\"contact\":\"ana\"}}", 2, "mail address"),
            (#"{"site":{"contact":"javascript:alert(1)"}}"#, 1, "mail address"),
            (#"{"site":{"title":""}}"#, 1, "title"),
        ])
    func `an invalid file is refused with its line and the reason`(json: String, line: Int, reason: String) async {
        let rejection = await #expect(throws: FileRejection.self) { try await site(json) }
        #expect(
            rejection?.line == line && rejection?.reason.contains(reason) == true, "\(rejection?.description ?? "")")
    }

    @Test(
        arguments: [
            (nil, "No such file"), (Data("GIF89a".utf8), "is not a PNG"), (png(191, 191), "191 × 191"),
            (png(1_025, 1_025), "1025 × 1025"), (png(400, 300), "400 × 300"),
            (png(512, 512) + Data(count: SiteLogo.maximumBytes), "has more than"),
        ] as [(Data?, String)])
    func `a logo that cannot be used is refused`(logo: Data?, reason: String) async {
        let rejection = await #expect(throws: FileRejection.self) {
            try await site(#"{"site":{"logo":"logo.png"}}"#, logo: logo)
        }
        #expect(rejection?.description.contains(reason) == true, "\(rejection?.description ?? "")")
    }

    @Test func `the gateway refuses to start with an invalid file, and names it`() async throws {
        try await withTemporaryDirectory { root in
            try Data(#"{"site":{"titel":"a"}}"#.utf8).write(to: URL(filePath: root + "/config.json"))
            for arguments in [["serve", "--root", root, "--http", "off"], ["serve", "--check", "--root", root]] {
                let outcome = try await Program("gateway").run(arguments)
                #expect(outcome.status == 78 && outcome.errors.contains("\(root)/config.json:1: site.titel"))
            }
        }
    }

    // MARK: What readers see

    private func configured() async throws -> Site {
        try await site(
            #"{"site":{"title":"A & B","description":"Birds","contact":"https://example.org/me","logo":"logo.png"}}"#,
            logo: Self.png(256, 256))
    }

    @Test func `the page has the title, the description, the contact and the logo`() async throws {
        try await RunningAPI.with(site: try await configured()) { api in
            let html = try await api.exchange("/", ["Accept: text/html"]).text
            #expect(html.contains("<title>A &amp; B</title>") && html.contains(#"name="description" content="Birds""#))
            #expect(html.contains(#"<a href="https://example.org/me">Contact</a>"#) && !html.contains("My Feed"))
            let logo = try #require(html.firstMatch(of: /class="logo" src="([^"]+)"/).map { String($0.output.1) })
            let picture = try await api.exchange(logo)
            #expect(picture.status == 200 && picture["Content-Type"] == "image/png")
            #expect(
                picture.body == Array(Self.png(256, 256)) && picture["Cache-Control"]?.contains("immutable") == true)
            #expect(try await api.exchange("/favicon.ico").body == picture.body)
        }
    }

    @Test func `feeds have them too`() async throws {
        try await RunningAPI.with(site: try await configured()) { api in
            let json = try await api.exchange("/feed.json").text
            for member in [
                #""title":"A & B""#, #""description":"Birds""#,
                #""authors":[{"name":"A & B","url":"https://example.org/me"}]"#,
            ] {
                #expect(json.contains(member), "\(json)")
            }
            let atom = try await api.exchange("/feed.atom").text
            for element in ["<subtitle>Birds</subtitle>", "<uri>https://example.org/me</uri>", "/assets/logo-"] {
                #expect(atom.contains(element), "\(atom)")
            }
        }
    }

    @Test func `the manifest names the site and its pictures, which exist with these sizes`() async throws {
        for site in [Site(), try await configured()] {
            try await RunningAPI.with(site: site) { api in
                let reply = try await api.exchange("/manifest.webmanifest", ["Accept-Language: el"])
                #expect(reply["Content-Type"] == "application/manifest+json")
                let manifest = try JSONValue(json: reply.body)
                #expect(manifest["name"]?.text == site.title(in: .el))
                let screenshots = manifest["screenshots"]?.elements ?? []
                #expect(screenshots.count == (site.title == nil ? 2 : 0))
                for picture in (manifest["icons"]?.elements ?? []) + screenshots {
                    let source = try #require(picture["src"]?.text)
                    let bytes = try await api.exchange("/" + source).body
                    // The header of PNG, or of an extended WebP.
                    let (width, height) =
                        source.hasSuffix("png")
                        ? (Self.number(bytes[16..<20]), Self.number(bytes[20..<24]))
                        : (Self.number(bytes[24..<27].reversed()) + 1, Self.number(bytes[27..<30].reversed()) + 1)
                    #expect(picture["sizes"]?.text == "\(width)x\(height)", "\(source)")
                }
            }
        }
    }

    @Test func `search engines may read all but the results of searches`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/robots.txt")
            #expect(reply["Content-Type"] == "text/plain; charset=utf-8")
            #expect(reply.text == "User-agent: *\nDisallow: /search\nAllow: /\n")
        }
    }
}
