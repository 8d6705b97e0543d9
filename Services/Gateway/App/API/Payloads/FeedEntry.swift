import EdgeModel
import FeedContract
import Foundation
import Presentation

/// An item of the feed as feed readers get it, in JSON Feed and in Atom.
struct FeedEntry: Sendable {
    let id: String

    /// The item's web page.
    let url: String

    /// One line.
    let title: String

    /// The description and the location; empty without both.
    let text: String

    /// The picture above the text.
    let html: String

    /// The URL of the picture. It is no enclosure: that would need the media type and the length, which the feed service does not know.
    let image: String

    /// Nil if the item has no date, or one that is more than a day ahead: readers would show it as the newest for ever.
    let publishedAt: Date?
    let tags: [String]

    /// Whose picture it is. A sensitive one is not in the entry: feed readers show it without asking.
    let details: PictureDetails
}

extension FeedEntry {
    private static let pictureWidth = 1_280

    /// The difference of two clocks, or of a time that was written without its zone, in seconds: a later date is wrong.
    static let maximumFuture: TimeInterval = 86_400

    /// - Parameter now: the time of the answer.
    init(_ item: FeedItem, _ publicURL: PublicURL, _ language: Language, now: Date) {
        let view = FeedImagePresenter.viewModel(item, language)
        // A reader of the feed loads all pictures at once, so not the originals.
        let (image, escape) = ("\(publicURL.imageData(item.id))?w=\(Self.pictureWidth)", Markup().escapeText)
        let page = publicURL.page(of: item.id)
        let credit = view.credit.map { Texts(language).text(.imageCredit, $0) }
        let texts = [view.description, view.location, credit].compactMap(\.self)
        let picture =
            item.details.isSensitive
            ? "<p><a href=\"\(escape(page))\">\(escape(Texts(language)[.imageSensitive]))</a></p>"
            : "<p><img src=\"\(escape(image))\" alt=\"\(escape(view.alt))\"></p>"
        self.init(
            id: "urn:uuid:\(item.id.uuidString.lowercased())", url: page, title: view.title,
            text: texts.joined(separator: "\n\n"),
            html: picture + texts.map { "<p dir=\"auto\">\(escape($0))</p>" }.joined(), image: image,
            publishedAt: item.publishedAt.flatMap { $0.isTooFarAhead(of: now) ? nil : $0 },
            tags: item.tags, details: item.details)
    }
}
