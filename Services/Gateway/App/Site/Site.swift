import JSON
import Presentation
import ServiceKit

/// How the feed presents itself to readers: the member `site` of `ROOT/config.json`.
struct Site: Sendable, Equatable {
    /// In place of "My Feed".
    var title: LocalizedText?
    var description: LocalizedText?

    /// Where readers reach the operator: a web address or a mail address, as a URL.
    var contact: String?

    /// Loaded from the file that the configuration names.
    var logo: SiteLogo?

    func title(in language: Language) -> String { title?.text(in: language) ?? Texts(language)[.feedTitle] }

    func description(in language: Language) -> String {
        description?.text(in: language) ?? Texts(language)[.feedDescription]
    }

    static let maximumTitle = 60
    static let maximumDescription = 300
}

/// The member `site` of the configuration.
private struct SiteConfiguration {
    var site = Site()

    /// The path of the logo; relative to the folder of the configuration.
    var logo: String?

    static let codec = Codec<SiteConfiguration>.object { object in
        let title = object.optional("title", LocalizedText.codec(maximum: Site.maximumTitle), \.site.title)
        let description = object.optional(
            "description", LocalizedText.codec(maximum: Site.maximumDescription), \.site.description)
        let contact = object.optional("contact", contactCodec, \.site.contact)
        let logo = object.optional("logo", .string, \.logo)
        return { members throws(JSONError) in
            SiteConfiguration(
                site: Site(
                    title: try members[title], description: try members[description], contact: try members[contact]),
                logo: try members[logo])
        }
    }

    /// A mail address may be written without `mailto:`.
    private static let contactCodec = Codec<String>.string.map(
        into: { text throws(JSONError) in
            let isAddress = text.wholeMatch(of: /[^@:\/\s]+@[^@:\/\s]+/) != nil
            let json = RawJSON(isAddress ? "mailto:" + text : text, as: .string)
            do throws(JSONError) {
                return try json.read(as: .uri(schemes: ["http", "https", "mailto"]))
            } catch {
                throw .refused("must be a mail address, or a URL that begins with http:, https: or mailto:")
            }
        },
        from: { $0 })
}

extension Site {
    /// - Throws: `FileRejection` when the configuration of the site or its logo cannot be used.
    init(_ configuration: ConfigurationFile) throws(FileRejection) {
        let settings = try configuration.read("site", as: SiteConfiguration.codec) ?? SiteConfiguration()
        self = settings.site
        let folder = configuration.file.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        logo = try settings.logo.map { name throws(FileRejection) in
            try SiteLogo(OwnedFile(path: name.hasPrefix("/") ? name : (folder + [name[...]]).joined(separator: "/")))
        }
    }
}
