import EdgeModel
import Foundation
import GatewayContract
import Presentation

@testable import gateway

/// A browser whose loads the test answers.
struct BrowserFixture {
    private(set) var browser: Browser

    /// What is under way.
    private(set) var running: [BrowserTicket] = []
    private(set) var others: [BrowserAction] = []

    init(
        columns: Int = 80, rows: Int = 24, language: Language = .en, pictures: PictureSupport = .full,
        depth: ColorDepth? = .full
    ) {
        browser = Browser(
            language: language, theme: Theme(appearance: .dark, depth: depth),
            size: ScreenSize(columns: columns, rows: rows), pictures: pictures)
        note(browser.start())
    }

    mutating func handle(_ event: BrowserEvent) { note(browser.handle(event)) }

    mutating func press(_ keys: Input.Key...) {
        for key in keys { handle(.input(.key(key))) }
    }

    mutating func type(_ text: String) {
        for character in text { press(.character(character)) }
    }

    /// Answers the running load that matches.
    mutating func answer(_ load: BrowserLoad, _ resource: BrowserResource) {
        if let ticket = running.first(where: { $0.load == load }) { answer(ticket, resource) }
    }

    mutating func answer(_ ticket: BrowserTicket, _ resource: BrowserResource) {
        running.removeAll { $0 == ticket }
        handle(.loaded(ticket, resource))
    }

    mutating func fail(_ load: BrowserLoad, _ message: String) {
        if let ticket = running.first(where: { $0.load == load }) { fail(ticket, message) }
    }

    mutating func fail(_ ticket: BrowserTicket, _ message: String) {
        running.removeAll { $0 == ticket }
        handle(.failed(ticket, message: message))
    }

    var loads: [BrowserLoad] { running.map(\.load) }

    private mutating func note(_ actions: [BrowserAction]) {
        for action in actions {
            switch action {
            case .begin(let ticket): running.append(ticket)
            case .cancel(let ticket): running.removeAll { $0 == ticket }
            default: others.append(action)
            }
        }
    }

    // MARK: Resources

    static func id(_ number: Int) -> UUID {
        UUID(uuidString: String(format: "00000000-0000-4000-8000-%012d", 10_000 + number)) ?? UUID()
    }

    /// A page of the feed with the items of these numbers.
    static func page(
        _ numbers: Range<Int>, next: Int? = nil, end: String? = nil, empty: String? = nil, problems: [String] = [],
        text: (Int) -> String = { "Item \($0)" }
    ) -> BrowserResource {
        let items = numbers.map {
            FeedImageViewModel(
                id: id($0), title: text($0), description: text($0), location: text($0),
                image: "http://example.org/\($0).jpg", comments: "3 comments")
        }
        return .feed(
            FeedPageAnswer(
                page: FeedPageViewModel(title: "My Feed", items: items, status: nil, empty: empty, end: end),
                nextAfterID: next.map(id), prevBeforeID: nil, origin: .store, savedAt: nil,
                problems: problems.map { ProblemViewModel(service: "comments", kind: "unavailable", message: $0) }))
    }

    static func comments(_ numbers: Range<Int>, next: Int? = nil, text: (Int) -> String = { "Comment \($0)" })
        -> BrowserResource
    {
        let items = numbers.map {
            CommentViewModel(id: id($0), message: text($0), username: text($0), date: "today", createdAt: .distantPast)
        }
        return .comments(
            CommentsAnswer(
                comments: CommentsViewModel(title: "Comments", items: items, empty: nil, status: nil),
                nextAfterID: next.map(id), origin: .store, savedAt: nil, problems: []))
    }

    static func picture(_ request: PictureRequest, id: UInt32 = 1) -> BrowserResource {
        .picture(TerminalPicture(columns: request.columns, rows: request.rows, content: .stored(id: id, "")))
    }

    /// What the screen shows, without styles.
    var text: [String] { frame.lines.map(Self.plain) }

    var frame: Frame {
        let fitter = PictureFitter(.kitty, depth: .full, cell: .usual, program: nil)
        return BrowserView(browser: browser, fitter: fitter).frame
    }

    /// Without colours, and with cells for a moved cursor.
    static func plain(_ line: String) -> String {
        line.replacing(/\u{1B}\[([0-9]+)C/) { String(repeating: "#", count: Int($0.output.1) ?? 0) }
            .replacing(/\u{1B}\[[0-9;]*m/) { _ in "" }
    }
}
