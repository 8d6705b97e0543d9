import CommentsContract
import FeedContract
import Foundation
import Presentation

// Conversions from the services' types to the presenters'.

extension Language {
    /// - Parameter locale: a language tag or the name of a POSIX locale; nil is English.
    init(_ locale: String?) { self.init(negotiating: locale.map { [$0] } ?? []) }
}

extension FeedImagePresenter {
    static func viewModel(_ item: FeedItem, _ language: Language) -> FeedImageViewModel {
        viewModel(
            id: item.id, description: item.description, location: item.location, image: item.image,
            tags: item.tags, publishedAt: item.publishedAt, hints: item.hints, details: item.details, language: language
        )
    }

    static func viewModel(_ enriched: EnrichedItem, _ language: Language) -> FeedImageViewModel {
        var image = viewModel(enriched.item, language)
        image.extensions = enriched.extensions
        image.chips = ExtensionPresenter.viewModels(
            enriched.extensions, enriched.styles, of: image.id, language: language)
        return image
    }

    static func titleAndURL(_ item: FeedItem, _ language: Language) -> (title: String, url: String) {
        (title(description: item.description, location: item.location, language: language), item.image)
    }
}

extension CommentPresenter {
    static func viewModel(_ comment: Comment, _ now: Date, _ language: Language) -> CommentViewModel {
        viewModel(
            id: comment.id, message: comment.message, username: comment.author.username, createdAt: comment.createdAt,
            now: now, language: language)
    }
}
