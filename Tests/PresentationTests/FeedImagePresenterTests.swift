import Foundation
import Presentation
import Testing

struct FeedImagePresenterTests {
    @Test(arguments: [
        ("A view", "A view"), ("A view\nof the sea", "A view"), ("A view\r\nof the sea", "A view"),
        ("\n \n  A view \nof the sea", "A view"), ("A view\u{2028}of the sea", "A view"),
    ])
    func `the title is the description's first line`(description: String, title: String) {
        #expect(viewModel(description, "Delos").title == title)
    }

    @Test(arguments: [nil, "", " \n\t"])
    func `without a description the title is the location`(description: String?) {
        #expect(viewModel(description, " Delos\nGreece").title == "Delos")
    }

    @Test(arguments: [(Language.en, "Image"), (.ptBR, "Imagem"), (.el, "Εικόνα"), (.es, "Imagen")])
    func `without a description and a location the title is the word for image`(language: Language, title: String) {
        #expect(viewModel(nil, nil, language).title == title)
        #expect(viewModel("", " ", language).title == title)
    }

    @Test(arguments: [
        ("Old tram\nMissed it by ten seconds", "Old tram", "Missed it by ten seconds"),
        ("\n Old tram \r\n\r\nMissed it.\nBy ten seconds", "Old tram", "Missed it.\nBy ten seconds"),
        ("Old tram", nil, "Old tram"), ("Old tram\n \n", nil, "Old tram\n \n"),
        ("Missed it by ten seconds.\nBut got the picture", nil, "Missed it by ten seconds.\nBut got the picture"),
        ("Missed it,\nbut got the picture", nil, "Missed it,\nbut got the picture"), (nil, nil, nil), ("", nil, nil),
    ])
    func `the first of several lines is the heading`(description: String?, heading: String?, text: String?) {
        let shown = viewModel(description, "Lisbon")
        #expect(shown.heading == heading)
        #expect(shown.text == text)
    }

    @Test(arguments: [99, 100, 101]) func `a heading has at most 100 characters`(length: Int) {
        let line = String(repeating: "a", count: length)
        #expect(viewModel(line + "\nb", nil).heading == (length <= 100 ? line : nil))
    }

    @Test func `texts are shown unchanged`() {
        let (id, date) = (UUID(), Date(timeIntervalSince1970: 1_772_366_400))
        let shown = FeedImagePresenter.viewModel(
            id: id, description: "A view\nof the sea ", location: "Delos", image: "https://a.example/1",
            publishedAt: date, language: .en)
        #expect(
            shown
                == FeedImageViewModel(
                    id: id, title: "A view", description: "A view\nof the sea ", location: "Delos",
                    image: "https://a.example/1", publishedAt: date))
    }

    @Test func `white space alone is not shown`() {
        let shown = viewModel(" \n", "")
        #expect(shown.description == nil)
        #expect(shown.location == nil)
    }

    private func viewModel(
        _ description: String?, _ location: String?, _ language: Language = .en
    ) -> FeedImageViewModel {
        FeedImagePresenter.viewModel(
            id: UUID(), description: description, location: location, image: "https://a.example/1", language: language)
    }

    @Test(arguments: ["🇧🇷", "👩‍👩‍👧", "e\u{301}"]) func `a long title ends with a whole character`(character: String) {
        let scalars = character.unicodeScalars.count
        for room in 0..<scalars {
            let start = String(repeating: "a", count: 199 - room)
            let title = FeedImagePresenter.title(
                description: start + String(repeating: character, count: 10), location: nil, language: .en)
            #expect(title == start + "…")
        }
        let accents = String(repeating: "\u{301}", count: 300)
        let title = FeedImagePresenter.title(description: "e" + accents, location: nil, language: .en)
        #expect(title.unicodeScalars.count == 200)
    }

    @Test(arguments: [199, 200, 201]) func `a title has at most 200 characters`(length: Int) {
        let line = String(repeating: "a", count: length)
        let title = FeedImagePresenter.title(description: line, location: nil, language: .en)
        #expect(title == (length <= 200 ? line : String(repeating: "a", count: 199) + "…"))
    }
}
