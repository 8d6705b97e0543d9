import Foundation
import GatewayContract
import Presentation

/// The state of the terminal browser. It makes no calls: `handle` takes what has happened, and returns what to do.
struct Browser: Sendable {
    /// The maximum number of loaded pictures in memory. The oldest that are not on the screen are removed.
    static let pictureLimit = 64

    /// The maximum number of items, and of comments. Loading more than that ends, so that memory does not grow without bound.
    static let itemLimit = 10_000

    struct Feed: Sendable, Equatable {
        var title: String
        var items: [FeedImageViewModel]
        var status: String?
        var empty: String?
        var end: String?
        var nextAfterID: UUID?
        var problems: [String]
    }

    struct Comments: Sendable, Equatable {
        var title: String
        var items: [CommentViewModel]
        var status: String?
        var empty: String?
        var nextAfterID: UUID?
        var problems: [String]
    }

    /// What is shown above the feed.
    enum Screen: Sendable, Equatable {
        case comments
        /// A picture in the size of the window; from the feed or from its comments.
        case picture(fromComments: Bool)
    }

    /// Which pictures the terminal can show.
    let support: PictureSupport

    private(set) var language: Language
    private(set) var theme: Theme
    private(set) var size: ScreenSize
    private(set) var screen: Screen?
    private(set) var showsKeys = false

    /// Changes when the screen must be painted completely.
    private(set) var paintings = 0

    /// How often the user has asked to suspend the browser.
    private(set) var suspensions = 0

    private(set) var feed = LoadingState<Feed>()

    /// The page after the last item; its items become a part of `feed`.
    private(set) var more = LoadingState<UUID>()
    private(set) var selected = 0

    /// The number of items that the last reload has put above the first one of before. 0 when the reader has seen them.
    private(set) var news = 0

    /// The first item on the screen.
    private(set) var top = 0

    private(set) var comments = LoadingState<Comments>()
    private(set) var moreComments = LoadingState<UUID>()

    /// The first line of the comments on the screen.
    private(set) var scrolled = 0

    private(set) var pictures: [PictureRequest: LoadingState<TerminalPicture>] = [:]

    /// Loaded pictures, the oldest first.
    private var loaded: [PictureRequest] = []
    private var running: [BrowserLoad: BrowserTicket] = [:]
    private var lastNumber = 0
    private var actions: [BrowserAction] = []

    init(language: Language, theme: Theme, size: ScreenSize, pictures support: PictureSupport) {
        (self.language, self.theme, self.size, self.support) = (language, theme, size, support)
    }

    var layout: FeedLayout { FeedLayout(size: size, hasPictures: support != .none) }
    var items: [FeedImageViewModel] { feed.resource?.items ?? [] }
    var current: FeedImageViewModel? { items.indices.contains(selected) ? items[selected] : nil }

    /// The message that is shown above the keys.
    var banner: String? {
        switch screen {
        case nil: feed.error ?? feed.resource?.problems.first
        case .comments: comments.error ?? comments.resource?.problems.first
        case .picture: nil
        }
    }

    /// Loads what is shown at the start.
    mutating func start() -> [BrowserAction] {
        loadFeed()
        return settled()
    }

    mutating func handle(_ event: BrowserEvent) -> [BrowserAction] {
        switch event {
        case .input(.key(let key)): press(key)
        case .input(.mouse(let mouse)): point(mouse)
        case .input(.answer): break
        case .resized(let size):
            self.size = size
            paintings += 1
            select(selected)
        case .loaded(let ticket, let resource):
            if running[ticket.load] == ticket {
                running[ticket.load] = nil
                finish(ticket.load, resource)
            }
        case .failed(let ticket, let message):
            if running[ticket.load] == ticket {
                running[ticket.load] = nil
                fail(ticket.load, message)
            }
        case .stopped: actions.append(.quit)
        }
        return settled()
    }

    /// Brings the pictures in line with the screen.
    private mutating func settled() -> [BrowserAction] {
        loadPictures()
        defer { actions = [] }
        return actions
    }

    // MARK: Loading

    private mutating func begin(_ load: BrowserLoad) {
        lastNumber += 1
        let ticket = BrowserTicket(load: load, number: lastNumber)
        running[load] = ticket
        actions.append(.begin(ticket))
    }

    private mutating func cancel(where isUnwanted: (BrowserLoad) -> Bool) {
        for (load, ticket) in running where isUnwanted(load) {
            running[load] = nil
            actions.append(.cancel(ticket))
            if case .picture(let request) = load { pictures[request] = nil }
        }
    }

    private mutating func loadFeed() {
        cancel { if case .feed(after: .some) = $0 { true } else { false } }
        more = LoadingState()
        if feed.start() { begin(.feed(after: nil)) }
    }

    private mutating func loadMore() {
        guard let last = feed.resource?.nextAfterID, items.count < Self.itemLimit, !feed.isLoading, more.start() else {
            return
        }
        begin(.feed(after: last))
    }

    private mutating func loadComments() {
        guard let id = current?.id else { return }
        cancel { if case .comments(_, after: .some) = $0 { true } else { false } }
        moreComments = LoadingState()
        if comments.start() { begin(.comments(of: id, after: nil)) }
    }

    private mutating func loadMoreComments() {
        guard let id = current?.id, let shown = comments.resource, let last = shown.nextAfterID,
            shown.items.count < Self.itemLimit, !comments.isLoading, moreComments.start()
        else { return }
        begin(.comments(of: id, after: last))
    }

    private mutating func finish(_ load: BrowserLoad, _ resource: BrowserResource) {
        switch (load, resource) {
        case (.feed(after: nil), .feed(let answer)): showFeed(answer)
        case (.feed(after: let last?), .feed(let answer)):
            more.finish(last)
            append(answer)
        case (.comments(_, after: nil), .comments(let answer)):
            comments.finish(Comments(answer))
            scroll(to: scrolled)
        case (.comments(_, after: let last?), .comments(let answer)):
            moreComments.finish(last)
            append(answer)
        case (.picture(let request), .picture(let picture)):
            pictures[request]?.finish(picture)
            loaded.append(request)
        default: break
        }
    }

    private mutating func fail(_ load: BrowserLoad, _ message: String) {
        switch load {
        case .feed(after: nil): feed.fail(message)
        case .feed: more.fail(message)
        case .comments(_, after: nil): comments.fail(Texts(language)[.commentsUnavailable])
        case .comments: moreComments.fail(message)
        case .picture(let request): pictures[request]?.fail(message)
        }
    }

    /// The item that was selected stays selected.
    private mutating func showFeed(_ answer: FeedPageAnswer) {
        let (id, first) = (current?.id, items.first?.id)
        feed.finish(Feed(answer))
        let place = items.firstIndex { $0.id == id }
        news = items.firstIndex { $0.id == first } ?? 0
        // Comments and picture belong to the selected item.
        if place == nil, screen != nil { close() }
        top = place == nil ? 0 : top
        select(place ?? 0)
    }

    private mutating func append(_ answer: FeedPageAnswer) {
        feed.update { shown in
            let known = Set(shown.items.map(\.id))
            shown.items += answer.page.items.filter { !known.contains($0.id) }
            (shown.end, shown.nextAfterID) = (answer.page.end, answer.nextAfterID)
        }
        select(selected)
    }

    private mutating func append(_ answer: CommentsAnswer) {
        comments.update { shown in
            let known = Set(shown.items.map(\.id))
            shown.items += answer.comments.items.filter { !known.contains($0.id) }
            shown.nextAfterID = answer.nextAfterID
        }
    }

    // MARK: Pictures

    /// Begins what is on the screen, cancels what is not, and removes the oldest.
    private mutating func loadPictures() {
        let wanted = wantedPictures
        cancel { if case .picture(let request) = $0 { !wanted.contains(request) } else { false } }
        // A picture whose load failed is loaded again when its item is on the screen again.
        pictures = pictures.filter { wanted.contains($0.key) || $0.value.resource != nil }
        for request in wanted where pictures[request] == nil {
            var state = LoadingState<TerminalPicture>()
            if state.start() { begin(.picture(request)) }
            pictures[request] = state
        }
        while loaded.count > Self.pictureLimit, let place = loaded.firstIndex(where: { !wanted.contains($0) }) {
            pictures.removeValue(forKey: loaded.remove(at: place))
        }
    }

    /// The pictures on the screen, and that of the item below it.
    private var wantedPictures: [PictureRequest] {
        guard support == .full else { return [] }
        return switch screen {
        case nil:
            items.indices.clamped(to: top..<top + layout.itemCount + 1)
                .compactMap { picture(of: items[$0], columns: layout.pictureColumns, rows: layout.pictureRows) }
        case .comments: commentsPicture.map { [$0] } ?? []
        case .picture: fullPicture.map { [$0] } ?? []
        }
    }

    func picture(of item: FeedImageViewModel, columns: Int, rows: Int) -> PictureRequest? {
        guard columns > 0, rows > 0 else { return nil }
        return PictureRequest(url: item.image, hints: item.hints, columns: columns, rows: rows)
    }

    /// Over the comments, in half of the height.
    var commentsPicture: PictureRequest? {
        guard layout.pictureColumns > 0 else { return nil }
        return current.flatMap { picture(of: $0, columns: layout.width - 2, rows: min(layout.body.count / 2, 20)) }
    }

    /// In the whole body, without the line of its title.
    var fullPicture: PictureRequest? {
        current.flatMap { picture(of: $0, columns: layout.width, rows: layout.body.count - 1) }
    }

    // MARK: Input

    private mutating func press(_ key: Input.Key) {
        switch key {
        case .control("c"): actions.append(.quit)
        case .control("z"): suspensions += 1
        case _ where showsKeys: showsKeys = false
        case .character("?"): showsKeys = true
        case .character("r"), .control("r"), .control("l"): reload()
        case .character("l"): show(in: Language.after(language))
        case .character("t"): theme = Theme(appearance: theme.appearance.other, depth: theme.depth)
        default:
            switch screen {
            case nil: pressInFeed(key)
            case .comments: pressInComments(key)
            case .picture(let fromComments): pressInPicture(key, fromComments)
            }
        }
    }

    private mutating func pressInFeed(_ key: Input.Key) {
        switch key {
        case .up, .character("k"): select(selected - 1)
        case .down, .character("j"), .tab: select(selected + 1)
        case .pageUp, .character("b"): select(selected - layout.itemCount)
        case .pageDown, .character(" "), .character("f"): select(selected + layout.itemCount)
        case .home, .character("g"): select(0)
        case .end, .character("G"): select(items.count - 1)
        case .enter, .right: openComments()
        case .character("p"): showPicture(fromComments: false)
        case .escape, .backspace: hideBanner()
        case .character("q"): actions.append(.quit)
        default: break
        }
    }

    private mutating func pressInComments(_ key: Input.Key) {
        switch key {
        case .up, .character("k"): scroll(to: scrolled - 1)
        case .down, .character("j"), .enter: scroll(to: scrolled + 1)
        case .pageUp, .character("b"): scroll(to: scrolled - layout.body.count)
        case .pageDown, .character(" "), .character("f"): scroll(to: scrolled + layout.body.count)
        case .home, .character("g"): scroll(to: 0)
        case .end, .character("G"): scroll(to: .max)
        case .character("p"): showPicture(fromComments: true)
        case .escape, .backspace, .left, .character("q"): close()
        default: break
        }
    }

    private mutating func pressInPicture(_ key: Input.Key, _ fromComments: Bool) {
        switch (key, fromComments) {
        case (.left, false), (.up, false), (.character("k"), false): select(selected - 1)
        case (.right, false), (.down, false), (.character("j"), false), (.character(" "), false): select(selected + 1)
        case (.enter, false): openComments()
        case (.escape, _), (.backspace, _), (.enter, true), (.character("q"), _), (.character("p"), _):
            screen = fromComments ? .comments : nil
        default: break
        }
    }

    private mutating func point(_ mouse: Input.Mouse) {
        if showsKeys { return showsKeys = false }
        switch (mouse, screen) {
        case (.wheelUp, nil), (.wheelUp, .picture(fromComments: false)): select(selected - 1)
        case (.wheelDown, nil), (.wheelDown, .picture(fromComments: false)): select(selected + 1)
        case (.wheelUp, .comments): scroll(to: scrolled - 3)
        case (.wheelDown, .comments): scroll(to: scrolled + 3)
        case (.press(_, let row), _) where banner != nil && row == layout.body.upperBound - 1: hideBanner()
        case (.press(_, let row), nil):
            guard let item = layout.item(at: row, top: top) else { return }
            // The second press on an item opens it.
            if item == selected, current != nil { openComments() } else { select(item) }
        case (.press, .picture(let fromComments)): screen = fromComments ? .comments : nil
        default: break
        }
    }

    /// Moves the selection and as little of the list as necessary. At its end the next page is loaded, also again after a failure.
    private mutating func select(_ item: Int) {
        selected = min(max(item, 0), max(items.count - 1, 0))
        top = min(max(top, selected - layout.itemCount + 1), selected)
        if top == 0 { news = 0 }
        if selected + layout.itemCount >= items.count { loadMore() }
    }

    private mutating func scroll(to line: Int) {
        let last = max(CommentsView(self).lines.count - layout.body.count, 0)
        scrolled = min(max(line, 0), last)
        if line >= last { loadMoreComments() }
    }

    private mutating func openComments() {
        guard current != nil else { return }
        screen = .comments
        (comments, scrolled) = (LoadingState(), 0)
        loadComments()
    }

    private mutating func showPicture(fromComments: Bool) {
        if current != nil, support != .none { screen = .picture(fromComments: fromComments) }
    }

    private mutating func close() {
        screen = nil
        cancel { if case .comments = $0 { true } else { false } }
    }

    private mutating func hideBanner() {
        switch screen {
        case .comments:
            comments.hideError()
            comments.update { $0.problems = [] }
        default:
            feed.hideError()
            feed.update { $0.problems = [] }
        }
    }

    /// Loads what the screen shows again; what has failed to follow is loaded first.
    private mutating func reload() {
        pictures = pictures.filter { $0.value.error == nil }
        switch screen {
        case nil: more.error == nil ? loadFeed() : loadMore()
        case .comments: moreComments.error == nil ? loadComments() : loadMoreComments()
        case .picture: break
        }
    }

    private mutating func show(in language: Language) {
        self.language = language
        cancel { if case .picture = $0 { false } else { true } }
        feed.cancel()
        comments.cancel()
        loadFeed()
        if screen == .comments || screen == .picture(fromComments: true) { loadComments() }
    }
}

extension Language {
    fileprivate static func after(_ language: Language) -> Language {
        let place = allCases.firstIndex(of: language).map { ($0 + 1) % allCases.count }
        return allCases[place ?? 0]
    }
}

extension Browser.Feed {
    fileprivate init(_ answer: FeedPageAnswer) {
        self.init(
            title: answer.page.title, items: answer.page.items, status: answer.page.status, empty: answer.page.empty,
            end: answer.page.end, nextAfterID: answer.nextAfterID, problems: answer.problems.map(\.message))
    }
}

extension Browser.Comments {
    fileprivate init(_ answer: CommentsAnswer) {
        self.init(
            title: answer.comments.title, items: answer.comments.items, status: answer.comments.status,
            empty: answer.comments.empty, nextAfterID: answer.nextAfterID, problems: answer.problems.map(\.message))
    }
}
