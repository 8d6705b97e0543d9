import HTTPTypes
import Presentation

extension Pages {
    /// The page that the service worker shows in place of one that it has not stored.
    func offline(_ reader: Reader) -> HTTPAnswer {
        let texts = Texts(reader.language)
        let frame = Frame(
            title: texts[.connectionError], description: gateway.site.description(in: reader.language),
            canonicalPath: "/offline",
            kind: "offline")
        return page(
            "error", frame, ["message": frame.title, "retry": path("/"), "stored": texts[.offlineStored]], for: reader)
    }
}
