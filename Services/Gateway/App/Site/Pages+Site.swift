import HTTPTypes
import JSON
import NIOCore
import Presentation

// What browsers and search engines read about the site.

extension Site {
    /// The icon for tabs.
    var tabIcon: (path: String, type: String) {
        logo.map { ($0.asset.path, "image/png") } ?? (Asset.path("icon.svg"), "image/svg+xml")
    }

    /// The icon for home screens that read no manifest.
    var touchIcon: String { logo?.asset.path ?? Asset.path("icon-maskable.png") }

    /// The icon for programs that read no page.
    var picture: Asset? { logo?.asset ?? Asset.all["icon-192.png"] }
    var picturePath: String { picture?.path ?? Asset.path("icon-192.png") }

    fileprivate var icons: [JSONValue] {
        guard let logo else {
            return [
                entry("icon-192.png", 192, 192), entry("icon-512.png", 512, 512),
                entry("icon-maskable.png", 512, 512, "purpose", "maskable"),
            ]
        }
        return [entry(at: logo.asset.path, logo.side, logo.side)]
    }

    /// They show a feed with the standard title.
    fileprivate var screenshots: [JSONValue] {
        guard title == nil else { return [] }
        return [
            entry("screenshot-wide.webp", 1_280, 800, "form_factor", "wide"),
            entry("screenshot-narrow.webp", 390, 844, "form_factor", "narrow"),
        ]
    }
}

private func entry(_ name: String, _ width: Int, _ height: Int, _ member: String? = nil, _ value: String = "")
    -> JSONValue
{
    entry(at: Asset.path(name), width, height, member, value)
}

/// A picture in the manifest, with an address relative to it.
private func entry(at path: String, _ width: Int, _ height: Int, _ member: String? = nil, _ value: String = "")
    -> JSONValue
{
    let members: [(String, JSONValue)] = [
        ("src", .string(String(path.dropFirst()))), ("sizes", .string("\(width)x\(height)")),
        ("type", .string(path.hasSuffix(".webp") ? "image/webp" : "image/png")),
    ]
    return .object(JSONMembers(members + (member.map { [($0, .string(value))] } ?? [])))
}

extension Pages {
    /// The web app manifest, which makes the page an app on a home screen.
    func manifest(for request: EndpointRequest) -> HTTPAnswer {
        let language = Reader(request.head, request.target).language
        let site = gateway.site
        let members: [(String, JSONValue)] = [
            ("id", .string("./")), ("name", .string(site.title(in: language))),
            ("description", .string(site.description(in: language))), ("lang", .string(language.rawValue)),
            ("start_url", .string("./")), ("scope", .string("./")), ("display", .string("standalone")),
            ("background_color", .string("#121314")), ("theme_color", .string("#121314")),
            ("icons", .array(site.icons)), ("screenshots", .array(site.screenshots)),
        ]
        var answer = HTTPAnswer.document(
            ByteBuffer(bytes: JSONValue.object(JSONMembers(members)).rawJSON.bytes), as: "application/manifest+json",
            for: request.head)
        answer.fields[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        return answer
    }

    /// Search engines may read everything but the results of searches, which have no end.
    func robots(for request: HTTPRequest) -> HTTPAnswer {
        let rules = "User-agent: *\nDisallow: \(path("/search"))\nAllow: /\n"
        return HTTPAnswer.document(ByteBuffer(string: rules), as: "text/plain; charset=utf-8", for: request)
    }
}
