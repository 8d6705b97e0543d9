import EdgeModel
import Foundation

/// Presents one page of the feed.
public enum FeedPagePresenter {
    /// `empty` is set only on the first page, requested without a cursor. `end` is set on the last page, after which no
    /// items are known to follow.
    public static func viewModel(
        title: String, items: [FeedImageViewModel], origin: AnswerOrigin, savedAt: Date?, isFirstPage: Bool,
        isLastPage: Bool,
        now: Date,
        language: Language
    ) -> FeedPageViewModel {
        let isEmptyFeed = isFirstPage && items.isEmpty
        return FeedPageViewModel(
            title: title, items: items,
            status: StatusPresenter.text(origin: origin, savedAt: savedAt, now: now, language: language),
            empty: isEmptyFeed ? Texts(language)[.feedEmpty] : nil,
            end: isLastPage && !isEmptyFeed ? end(savedAt: savedAt, now: now, language: language) : nil)
    }

    private static func end(savedAt: Date?, now: Date, language: Language) -> String {
        guard let savedAt else { return Texts(language)[.feedEnd] }
        return Texts(language).text(.feedEndUpdated, orNow: .feedEndUpdatedNow, savedAt, now: now)
    }
}
