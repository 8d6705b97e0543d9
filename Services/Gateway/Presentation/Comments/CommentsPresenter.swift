import Foundation

/// Presents the comments of one image.
public enum CommentsPresenter {
    /// No items mean no comments only on the first page, the one that was asked for without a cursor.
    public static func viewModel(
        items: [CommentViewModel], origin: Origin, savedAt: Date?, isFirstPage: Bool, now: Date, language: Language
    ) -> CommentsViewModel {
        CommentsViewModel(
            title: Texts(language)[.commentsTitle],
            items: items,
            empty: isFirstPage && items.isEmpty ? Texts(language)[.commentsEmpty] : nil,
            status: StatusPresenter.text(origin: origin, savedAt: savedAt, now: now, language: language))
    }
}
