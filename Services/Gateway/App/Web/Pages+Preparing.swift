import Presentation

extension Pages {
    /// Reads the templates, the texts and the assets, and renders once. Otherwise the first reader would wait for that.
    static func prepare() {
        for language in Language.allCases { _ = Templates.texts(language) }
        _ = Templates.render("feed", ["style": Asset.path("style.css"), "items": []])
    }
}
