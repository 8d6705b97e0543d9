import Foundation

/// Presents one comment.
public enum CommentPresenter {
    public static func viewModel(
        id: UUID, message: String, username: String, createdAt: Date, now: Date, language: Language
    ) -> CommentViewModel {
        CommentViewModel(
            id: id, message: message, username: username,
            date: RelativeDate(createdAt, now: now).text(in: language), createdAt: createdAt)
    }
}
