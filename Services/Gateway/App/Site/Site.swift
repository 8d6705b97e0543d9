import Glibc
import JSON
import Presentation

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

/// The content of `ROOT/config.json`.
struct SiteConfiguration: Sendable, Equatable {
    var site = Site()

    /// The path of the logo; relative to the folder of the file.
    var logo: String?

    static let codec = Codec<SiteConfiguration>.object { object in
        let site = object.optional("site", siteCodec, \.self)
        return { members throws(JSONError) in try members[site] ?? SiteConfiguration() }
    }

    private static let siteCodec = Codec<SiteConfiguration>.object { object in
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
    /// - Parameter root: the directory of the deployment.
    /// - Throws: `FileRejection` when `ROOT/config.json` or the logo cannot be used. A deployment without the file has no settings.
    init(root: String) throws(FileRejection) {
        let path = root + "/config.json"
        var status = stat()
        guard lstat(path, &status) == 0 || errno != ENOENT else {
            self.init()
            return
        }
        let configuration = try OwnedFile(path: path).read(as: SiteConfiguration.codec)
        self = configuration.site
        logo = try configuration.logo.map { name throws(FileRejection) in
            try SiteLogo(OwnedFile(path: name.hasPrefix("/") ? name : "\(root)/\(name)"))
        }
    }
}
