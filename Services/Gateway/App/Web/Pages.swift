import FeedContract
import Foundation
import HTTPTypes
import Presentation
import RPC

/// The web page: the same view models as on the command line, in HTML.
///
/// Every page is complete without its script. The script loads further pages of this kind and takes their parts, so there is one
/// rendering.
struct Pages: Sendable {
    let gateway: Gateway
    let publicURL: PublicURL

    /// The sessions of readers who may write comments; nil while comments over HTTP are off.
    var sessions: Sessions?

    /// The number of images on a page: more than a window shows.
    static func pageSize(_ layout: Reader.Layout) -> Int {
        switch layout {
        case .list: 12
        case .grid: 24
        }
    }

    /// A path of this site, for a link in a page.
    func path(_ path: String) -> String { publicURL.path + path }

    /// Whether a browser may write without the token.
    func hasSession(_ request: HTTPRequest) -> Bool {
        sessions?.hasValid(Cookies(request.headerFields[.cookie] ?? ""), gateway.now()) ?? false
    }

    // MARK: The frame

    /// What the head and the bar of a page show.
    struct Frame {
        /// The name of the page, for the window and for previews.
        var title: String
        var description: String

        /// Without settings and cursors.
        var canonicalPath: String

        /// The image of previews.
        var imagePath: String?

        /// The kind of page, for the style and the script.
        var kind: String
    }

    /// The answer with a page: the frame around a template.
    func page(
        _ template: String, _ frame: Frame, _ model: [String: Any?], _ status: HTTPResponse.Status = .ok,
        for reader: Reader
    ) -> HTTPAnswer {
        let site = gateway.site
        let siteName = site.title(in: reader.language)
        let common: [String: Any?] = [
            "t": Templates.texts(reader.language), "base": publicURL.path,
            "lang": reader.language.rawValue, "theme": reader.theme.rawValue,
            "isAuto": reader.theme == .auto, "themeColor": reader.theme == .dark ? "#121314" : "#fbfaf8",
            "layout": reader.layout.rawValue,
            "isGrid": reader.layout == .grid, "kind": frame.kind,
            "title": frame.title, "siteName": siteName,
            "windowTitle": frame.title == siteName ? frame.title : "\(frame.title) · \(siteName)",
            "pageDescription": frame.description, "canonical": publicURL.description + frame.canonicalPath,
            "previewImage": frame.imagePath.map { publicURL.description + $0 },
            "style": path(Asset.path("style.css")), "script": path(Asset.path("page.js")),
            "icons": path(Asset.path("icons.svg")), "icon": path(site.tabIcon.path),
            "iconType": site.tabIcon.type, "touchIcon": path(site.touchIcon),
            "logo": site.logo.map { path($0.asset.path) },
            "contact": site.contact,
            "again": path(reader.target.without([])),
            "toDark": link(reader, "theme", "dark"), "toLight": link(reader, "theme", "light"),
            "toGrid": link(reader, "layout", "grid"), "toList": link(reader, "layout", "list"),
            "languageCode": reader.language.rawValue.prefix(2).uppercased(),
            "languages": Language.allCases.map { language -> [String: Any] in
                [
                    "tag": language.rawValue, "languageName": Self.names[language] ?? "",
                    "languageLink": link(reader, "lang", language.rawValue), "isCurrent": language == reader.language,
                ]
            },
        ]
        var all = common.merging(model) { _, specific in specific }
        for client in PluginClients.all(in: gateway.registry) {
            all[client.plugin] = client.frame(reader, isDown: isDown(client.plugin)).compactMapValues(\.self)
        }
        return .html(Templates.render(template, all), status, for: reader.request)
    }

    private func isDown(_ plugin: String) -> Bool {
        (try? gateway.registry.plugin(plugin))?.standing.isDown ?? true
    }

    /// The path of the page with another value of a parameter.
    func link(_ reader: Reader, _ name: String, _ value: String) -> String {
        let target = reader.target.without([name])
        return path(target) + (target.contains("?") ? "&" : "?") + "\(name)=\(value)"
    }

    /// The languages in their own words.
    private static let names: [Language: String] = [
        .en: "English", .ptBR: "Português", .el: "Ελληνικά", .es: "Español",
    ]
}
