import EdgeModel
import Foundation
import JSON

/// The texts of one image of the feed.
public struct FeedImageViewModel: Equatable, Sendable {
    public let id: UUID
    /// A one-line name of the image, also for screen readers.
    public let title: String
    public let description: String?

    /// The first line of the description where it is the title of the lines that follow; nil without such a title.
    public var heading: String? { FeedImagePresenter.parts(of: description).heading }

    /// The description without its heading.
    public var text: String? { FeedImagePresenter.parts(of: description).text }

    public let location: String?

    /// Whether the title is only the word for an image.
    public var isUntitled: Bool { description == nil && location == nil }
    public let image: String

    /// In the author's order.
    public let tags: [String]

    /// When the authority stored the item first; nil when that is not known.
    public let publishedAt: Date?

    /// The number of comments: "3 comments"; nil when it is not known.
    public var comments: String?

    /// Values that plugins add, by name, for programs.
    public var extensions: [String: RawJSON]

    /// The values among them that readers see.
    public var chips: [ExtensionViewModel]

    /// The size of the box for the picture, and what it shows before the picture.
    public let hints: PictureHints

    /// Whose picture it is, what it shows, and whether to cover it.
    public let details: PictureDetails

    /// What the picture shows, for people who cannot see it.
    public var alt: String { details.alt ?? title }

    /// The author and the licence, as far as they are known, or else the server of the original: "Ana Silva · CC-BY-4.0".
    public var credit: String? {
        let parts = [details.credit, details.license].compactMap(\.self)
        guard parts.isEmpty else { return parts.joined(separator: " · ") }
        return details.source.flatMap { URLComponents(string: $0)?.host }
    }

    public init(
        id: UUID, title: String, description: String?, location: String?, image: String,
        tags: [String] = [], publishedAt: Date? = nil, hints: PictureHints = PictureHints(),
        details: PictureDetails = PictureDetails(), comments: String? = nil, extensions: [String: RawJSON] = [:],
        chips: [ExtensionViewModel] = []
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.location = location
        self.image = image
        self.tags = tags
        self.publishedAt = publishedAt
        self.hints = hints
        self.details = details
        self.comments = comments
        self.extensions = extensions
        self.chips = chips
    }
}
