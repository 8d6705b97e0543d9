import Foundation
import HTTPTypes
import JSON
import Presentation

/// The reader of a page: the language and the settings that a request asks for.
///
/// A setting is kept in a cookie. A link such as `?theme=dark` changes it.
struct Reader: Sendable {
    enum Theme: String, CaseIterable, Sendable {
        /// As the browser prefers.
        case auto
        case light, dark
    }

    enum Layout: String, CaseIterable, Sendable { case list, grid }

    let request: HTTPRequest
    let target: RequestTarget
    let language: Language

    /// The language that the target names; nil when it names none.
    let chosenLanguage: Language?
    let theme: Theme
    let layout: Layout

    /// Whether the script of a page asks, not a reader who opens one. What a reader opens through a service worker has the mode of a
    /// navigation, but not its destination.
    var isScript: Bool { request.headerFields["Sec-Fetch-Mode"].map { $0 != "navigate" } ?? false }

    /// Whether the browser asks for less data.
    var savesData: Bool { request.headerFields["Save-Data"]?.lowercased() == "on" }

    /// The settings that the target changes.
    private let changes: [(name: String, value: String)]

    /// The parameter that names a language, for the API's description.
    static let languageParameter = ParameterDescription(
        name: "lang", summary: "The language of the texts, for example pt-BR; without it, Accept-Language decides.",
        schema: Codec.string.schema)

    init(_ request: HTTPRequest, _ target: RequestTarget) {
        let query = Query(target.query)
        let cookies = Cookies(request.headerFields[.cookie] ?? "")
        (self.request, self.target) = (request, target)
        chosenLanguage = query.value("lang").flatMap(Language.init(nearestTo:))
        language =
            chosenLanguage ?? cookies["lang"].flatMap(Language.init(nearestTo:))
            ?? Language(negotiating: AcceptLanguage.preferences(request.headerFields[.acceptLanguage] ?? ""))
        let newTheme = query.value("theme").flatMap(Theme.init)
        theme = newTheme ?? cookies["theme"].flatMap(Theme.init) ?? .auto
        let newLayout = query.value("layout").flatMap(Layout.init)
        layout = newLayout ?? cookies["layout"].flatMap(Layout.init) ?? .list
        changes = [
            chosenLanguage.map { ("lang", $0.rawValue) }, newTheme.map { ("theme", $0.rawValue) },
            newLayout.map { ("layout", $0.rawValue) },
        ].compactMap(\.self)
    }

    /// The answer to a link that changes a setting: it keeps the setting and leads back to the page. Nil for other requests.
    func answerToChange(_ publicURL: PublicURL) -> HTTPAnswer? {
        guard !changes.isEmpty else { return nil }
        var answer = HTTPAnswer(.seeOther)
        answer.fields[.location] = publicURL.path + target.without(changes.map(\.name))
        answer.fields[.cacheControl] = "no-store"
        for (name, value) in changes {
            answer.fields.append(
                HTTPField(
                    name: .setCookie,
                    value: "\(name)=\(value); Path=\(publicURL.cookiePath); Max-Age=31536000; SameSite=Lax"))
        }
        return answer
    }
}

/// The cookies of a request. A browser quotes nothing, and the values here have no special characters.
struct Cookies {
    private let values: [String: [String]]

    init(_ field: String) {
        let pairs = field.split(separator: ";").compactMap { pair -> (String, String)? in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        values = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    }

    /// The value with the longest path, which is the first (RFC 6265 §5.4).
    subscript(name: String) -> String? { values[name]?.first }

    /// All values. Another server on the same host may have set some of them.
    func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// Parses `Accept-Language` (RFC 9110 §12.5.4).
enum AcceptLanguage {
    /// The language tags, the most preferred first.
    static func preferences(_ field: String) -> [String] { WeightedList(field).preferred.filter { $0 != "*" } }
}

extension RequestTarget {
    /// The target in origin form without some parameters. It begins with exactly one slash, so it cannot lead to another host.
    func without(_ names: [String]) -> String {
        let rest = query.split(separator: "&").filter { !names.contains(Query.name(of: $0)) }
        let path = path.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
        return "/" + path.joined(separator: "/") + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
    }
}
