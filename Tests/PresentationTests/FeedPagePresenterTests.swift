import EdgeModel
import Foundation
import Presentation
import Testing

struct FeedPagePresenterTests {
    @Test func `a page in the middle has only its items`() {
        let page = page(items: [image, image])
        #expect(page == FeedPageViewModel(title: "My Feed", items: [image, image], status: nil, empty: nil, end: nil))
    }

    @Test func `a first page without items says that the feed is empty, and not that it ends`() {
        let page = page(items: [], isFirstPage: true, isLastPage: true)
        #expect(page.empty == "No images yet")
        #expect(page.end == nil)
    }

    @Test func `a later page without items ends the feed and is not an empty feed`() {
        let page = page(items: [], isLastPage: true)
        #expect(page.empty == nil)
        #expect(page.end == "That's all")
    }

    @Test func `a page that is not known to be the last does not end the feed`() {
        #expect(page(items: []).end == nil)
        #expect(page(items: [image], isFirstPage: true).end == nil)
    }

    @Test(arguments: [
        (Language.en, "That's all. Last updated 5 minutes ago"),
        (.ptBR, "Isso é tudo. Última atualização há 5 minutos"),
        (.el, "Αυτά ήταν όλα. Τελευταία ενημέρωση πριν από 5 λεπτά"),
        (.es, "Eso es todo. Última actualización hace 5 minutos"),
    ])
    func `the end has the time of the last update, if it is known`(language: Language, end: String) {
        let savedAt = Moments.ago(5 * Moments.minute)
        #expect(page(items: [image], savedAt: savedAt, isLastPage: true, language: language).end == end)
    }

    @Test func `the end has a separate text for an update just now`() {
        let page = page(items: [image], savedAt: Moments.now, isLastPage: true)
        #expect(page.end == "That's all. Last updated just now")
    }

    @Test func `the page has its age`() {
        let page = page(items: [image], origin: .cache, savedAt: Moments.ago(2 * Moments.hour))
        #expect(page.status == "The server does not answer: cached copy from 2 hours ago")
    }

    private let image = FeedImageViewModel(id: UUID(), title: "A", description: "A", location: nil, image: "https://a")

    private func page(
        items: [FeedImageViewModel], origin: AnswerOrigin = .store, savedAt: Date? = nil, isFirstPage: Bool = false,
        isLastPage: Bool = false, language: Language = .en
    ) -> FeedPageViewModel {
        FeedPagePresenter.viewModel(
            title: "My Feed", items: items, origin: origin, savedAt: savedAt, isFirstPage: isFirstPage,
            isLastPage: isLastPage,
            now: Moments.now, language: language)
    }
}
