import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import Presentation
import RPC

extension Gateway {
    /// A page of the feed in the reader's language, with what plugins add to its items.
    func feedPage(
        _ load: LoadFeed, in language: Language, _ options: CallOptions
    ) async throws(RPCError) -> FeedPageAnswer {
        presented(try await page(load, options), load, in: language)
    }

    /// The command line and the web page show it.
    /// - Parameter countsNone: whether an image without comments says so.
    func presented(
        _ enriched: EnrichedFeed, _ load: LoadFeed, countsNone: Bool = true, in language: Language
    ) -> FeedPageAnswer {
        let loaded = enriched.feed
        let items = enriched.items.map { item in
            var image = FeedImagePresenter.viewModel(item, language)
            image.comments = enriched.extensions.comments(
                of: image.id, isComplete: countsNone && loaded.origin == .store
            )
            .map { CommentsCountPresenter.text($0, language: language) }
            return image
        }
        let page = FeedPagePresenter.viewModel(
            title: site.title(in: language), items: items, origin: loaded.origin, savedAt: loaded.savedAt,
            isFirstPage: load.afterID == nil && load.beforeID == nil,
            isLastPage: load.beforeID == nil && loaded.nextAfterID == nil, now: now(), language: language)
        return FeedPageAnswer(
            page: page, nextAfterID: loaded.nextAfterID, prevBeforeID: loaded.prevBeforeID, origin: loaded.origin,
            savedAt: loaded.savedAt,
            problems: enriched.extensions.problems.map {
                ProblemPresenter.viewModel(service: $0.service, kind: $0.kind.rawValue, language: language)
            })
    }

    /// A page of an image's comments in the reader's language.
    func commentsPage(
        _ list: ListComments, in language: Language, _ options: CallOptions
    ) async throws(RPCError) -> CommentsAnswer {
        let (listed, problem) = try await comments.page(list, options)
        let viewModel = CommentsPresenter.viewModel(
            items: listed.items.map { CommentPresenter.viewModel($0, now(), language) },
            origin: listed.origin, savedAt: listed.savedAt, isFirstPage: list.afterID == nil, now: now(),
            language: language)
        let problems = [problem].compactMap(\.self).map {
            ProblemPresenter.viewModel(service: "feed", kind: $0.kind.rawValue, language: language)
        }
        return CommentsAnswer(
            comments: viewModel, nextAfterID: listed.nextAfterID, origin: listed.origin, savedAt: listed.savedAt,
            problems: problems)
    }
}
