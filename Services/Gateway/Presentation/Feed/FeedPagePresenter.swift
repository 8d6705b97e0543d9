import Foundation

/// Presents one page of the feed.
public enum FeedPagePresenter {
    /// No items mean an empty feed only on the first page, the one that was asked for without a cursor; the last page is
    /// one after which, as is known, nothing comes.
    public static func viewModel(
        items: [FeedImageViewModel], origin: Origin, savedAt: Date?, isFirstPage: Bool, isLastPage: Bool, now: Date,
        language: Language
    ) -> FeedPageViewModel {
        let isEmptyFeed = isFirstPage && items.isEmpty
        return FeedPageViewModel(
            title: Texts(language)[.feedTitle],
            items: items,
            status: StatusPresenter.text(origin: origin, savedAt: savedAt, now: now, language: language),
            empty: isEmptyFeed ? Texts(language)[.feedEmpty] : nil,
            end: isLastPage && !isEmptyFeed ? end(savedAt: savedAt, now: now, language: language) : nil)
    }

    private static func end(savedAt: Date?, now: Date, language: Language) -> String {
        guard let savedAt else { return Texts(language)[.feedEnd] }
        return Texts(language).text(.feedEndUpdated, orNow: .feedEndUpdatedNow, savedAt, now: now)
    }
}
