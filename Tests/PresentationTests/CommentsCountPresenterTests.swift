import Presentation
import Testing

struct CommentsCountPresenterTests {
    @Test(arguments: [
        (Language.en, "1 comment", "2 comments", "12,345 comments"),
        (.ptBR, "1 comentário", "2 comentários", "12.345 comentários"),
        (.el, "1 σχόλιο", "2 σχόλια", "12.345 σχόλια"),
        (.es, "1 comentario", "2 comentarios", "12.345 comentarios"),
    ])
    func `one is singular and more are plural`(language: Language, one: String, two: String, many: String) {
        #expect(CommentsCountPresenter.text(1, language: language) == one)
        #expect(CommentsCountPresenter.text(2, language: language) == two)
        #expect(CommentsCountPresenter.text(12_345, language: language) == many)
    }

    @Test(arguments: [0, -1])
    func `zero is a separate text`(count: Int) {
        #expect(CommentsCountPresenter.text(count, language: .en) == "No comments yet")
    }
}
