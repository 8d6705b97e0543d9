import EdgeModel
import Foundation

/// Presents the comments of one image.
public enum CommentsPresenter {
    /// `empty` is set only on the first page, requested without a cursor: an empty later page does not mean an empty
    /// list.
    public static func viewModel(
        items: [CommentViewModel], origin: AnswerOrigin, savedAt: Date?, isFirstPage: Bool, now: Date,
        language: Language
    ) -> CommentsViewModel {
        CommentsViewModel(
            title: Texts(language)[.commentsTitle],
            items: items,
            empty: isFirstPage && items.isEmpty ? Texts(language)[.commentsEmpty] : nil,
            status: StatusPresenter.text(origin: origin, savedAt: savedAt, now: now, language: language))
    }
}
