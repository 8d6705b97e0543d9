import EdgeModel
import Foundation
import Presentation
import Testing

struct CommentsPresenterTests {
    @Test(arguments: [
        (Language.en, "1 day ago"), (.ptBR, "há 1 dia"), (.el, "πριν από 1 ημέρα"), (.es, "hace 1 día"),
    ])
    func `a comment's date is in the user's language`(language: Language, date: String) {
        let (id, createdAt) = (UUID(), Moments.ago(47 * Moments.hour))
        let shown = CommentPresenter.viewModel(
            id: id, message: "Nice\n", username: "ana", createdAt: createdAt, now: Moments.now, language: language)
        #expect(
            shown
                == CommentViewModel(id: id, message: "Nice\n", username: "ana", date: date, createdAt: createdAt))
    }

    @Test func `comments keep their order under their title`() {
        let shown = comments([comment("B"), comment("A")])
        #expect(shown.title == "Comments")
        #expect(shown.items.map(\.message) == ["B", "A"])
        #expect(shown.empty == nil)
        #expect(shown.status == nil)
    }

    @Test func `an image without comments says so, on the first page only`() {
        #expect(comments([]).empty == "No comments yet")
        #expect(comments([], isFirstPage: false).empty == nil)
    }

    @Test func `cached comments are marked as a copy`() {
        let shown = comments([comment("A")], origin: .cache, savedAt: Moments.ago(2 * Moments.hour))
        #expect(shown.status == "The server does not answer: cached copy from 2 hours ago")
    }

    private func comment(_ message: String) -> CommentViewModel {
        CommentViewModel(id: UUID(), message: message, username: "ana", date: "now", createdAt: Moments.now)
    }

    private func comments(
        _ items: [CommentViewModel], origin: AnswerOrigin = .store, savedAt: Date? = nil, isFirstPage: Bool = true
    ) -> CommentsViewModel {
        CommentsPresenter.viewModel(
            items: items, origin: origin, savedAt: savedAt, isFirstPage: isFirstPage, now: Moments.now, language: .en)
    }
}
