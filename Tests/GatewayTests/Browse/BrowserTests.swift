import GatewayContract
import Presentation
import RPCTestKit
import Testing

@testable import gateway

struct BrowserTests {
    private typealias Fixture = BrowserFixture

    /// A browser with a page of 20 items and a further page.
    private func filled(rows: Int = 24, pictures: PictureSupport = .full) -> BrowserFixture {
        var fixture = Fixture(rows: rows, pictures: pictures)
        fixture.answer(.feed(after: nil), Fixture.page(0..<20, next: 19))
        return fixture
    }

    private func pictures(_ fixture: BrowserFixture) -> [String] {
        fixture.loads.compactMap {
            guard case .picture(let request) = $0 else { return nil }
            return request.url.split(separator: "/").last.map(String.init)
        }
    }

    // MARK: The feed

    @Test func `the feed loads at the start, once`() {
        var fixture = Fixture()
        #expect(fixture.loads == [.feed(after: nil)])
        fixture.type("rrr")
        #expect(fixture.loads == [.feed(after: nil)])
    }

    @Test func `the next page loads near the end, and never twice at once`() {
        var fixture = filled()
        #expect(!fixture.loads.contains(.feed(after: Fixture.id(19))))
        fixture.press(.end, .end, .down, .down)
        #expect(fixture.loads.filter { $0 == .feed(after: Fixture.id(19)) }.count == 1)
        fixture.answer(.feed(after: Fixture.id(19)), Fixture.page(20..<30, end: "That's all"))
        #expect(fixture.browser.items.count == 30 && fixture.browser.selected == 19)
        fixture.press(.end)
        #expect(!fixture.loads.contains { if case .feed = $0 { true } else { false } })
        #expect(fixture.text.contains { $0.contains("That's all") })
    }

    @Test func `an item that comes in two pages is shown once`() {
        var fixture = filled()
        fixture.press(.end)
        fixture.answer(.feed(after: Fixture.id(19)), Fixture.page(18..<22))
        #expect(fixture.browser.items.map(\.id) == (0..<22).map(Fixture.id))
    }

    @Test func `a next page that fails says so in its place, and r or moving on retries`() {
        var fixture = filled()
        fixture.press(.end)
        fixture.fail(.feed(after: Fixture.id(19)), "No connection")
        #expect(fixture.text.contains { $0.contains("No connection – r Try again") })
        #expect(fixture.browser.items.count == 20 && fixture.browser.banner == nil)
        fixture.type("r")
        #expect(fixture.loads.contains(.feed(after: Fixture.id(19))))
        fixture.fail(.feed(after: Fixture.id(19)), "No connection")
        fixture.press(.down)
        #expect(fixture.loads.contains(.feed(after: Fixture.id(19))))
    }

    @Test func `pages load until the screen is filled`() {
        var fixture = Fixture(rows: 60)
        fixture.answer(.feed(after: nil), Fixture.page(0..<1, next: 0))
        fixture.answer(.feed(after: Fixture.id(0)), Fixture.page(1..<2, next: 1))
        #expect(fixture.loads.contains(.feed(after: Fixture.id(1))))
    }

    @Test func `a reload that fails leaves the items, and its banner hides`() {
        var fixture = filled()
        fixture.type("r")
        fixture.fail(.feed(after: nil), "No connection")
        #expect(fixture.browser.items.count == 20)
        #expect(fixture.text[22].contains("No connection – r Try again"))
        fixture.press(.escape)
        #expect(fixture.browser.banner == nil)
        fixture.type("r")
        fixture.fail(.feed(after: nil), "No connection")
        fixture.handle(.input(.mouse(.press(column: 3, row: 22))))
        #expect(fixture.browser.banner == nil && fixture.browser.selected == 0)
    }

    @Test func `a reload keeps the selected item, wherever it is now`() {
        var fixture = filled()
        fixture.press(.down, .down)
        fixture.type("r")
        fixture.answer(.feed(after: nil), Fixture.page(-3..<17, next: 16))
        #expect(fixture.browser.current?.id == Fixture.id(2) && fixture.browser.selected == 5)
    }

    @Test(arguments: [(1, "1 new image"), (3, "3 new images")])
    func `a reload tells of new items above the screen, until the reader is there`(count: Int, text: String) {
        var fixture = filled()
        fixture.press(.pageDown, .pageDown)
        fixture.type("r")
        fixture.answer(.feed(after: nil), Fixture.page(-count..<20 - count))
        #expect(fixture.text[0].contains(text))
        fixture.press(.home)
        #expect(!fixture.text[0].contains("new image"))
    }

    @Test func `a removed item is no longer selected`() {
        var fixture = filled()
        fixture.press(.end, .enter)
        fixture.press(.escape)
        fixture.type("r")
        fixture.answer(.feed(after: nil), Fixture.page(0..<5))
        #expect(fixture.browser.selected == 0 && fixture.browser.top == 0)
    }

    @Test func `problems of other services are shown above the feed`() {
        var fixture = Fixture()
        fixture.answer(.feed(after: nil), Fixture.page(0..<3, problems: ["Comments are not available right now"]))
        #expect(fixture.text[22].contains("Comments are not available"))
        #expect(fixture.browser.items.count == 3)
    }

    @Test(arguments: [(Browser.itemLimit - 1, true), (Browser.itemLimit, false)])
    func `the feed ends at the limit`(count: Int, loads: Bool) {
        var fixture = Fixture()
        fixture.answer(.feed(after: nil), Fixture.page(0..<count, next: count))
        fixture.press(.end)
        #expect(fixture.loads.contains(.feed(after: Fixture.id(count))) == loads)
    }

    // MARK: Pictures

    @Test func `pictures load when they are near, and are cancelled when they leave`() {
        var fixture = filled()
        #expect(fixture.browser.layout.itemCount == 3)
        #expect(pictures(fixture) == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"])
        fixture.press(.end)
        #expect(pictures(fixture) == ["17.jpg", "18.jpg", "19.jpg"])
        fixture.press(.home)
        #expect(Set(pictures(fixture)) == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"])
    }

    @Test func `a picture that has come is not loaded again`() throws {
        var fixture = filled()
        let ticket = try #require(fixture.running.first { if case .picture = $0.load { true } else { false } })
        guard case .picture(let request) = ticket.load else { return }
        fixture.answer(ticket, Fixture.picture(request))
        fixture.press(.end, .home)
        #expect(!fixture.loads.contains(ticket.load))
        #expect(fixture.frame.placements.map(\.row) == [1])
    }

    @Test func `a picture that failed shows a sign, and loads again on r and when it comes back`() throws {
        var fixture = filled()
        let load = try #require(fixture.loads.first { if case .picture = $0 { true } else { false } })
        fixture.fail(load, "broken")
        #expect(fixture.text.contains { $0.contains("r Try again") })
        #expect(!fixture.loads.contains(load))
        fixture.type("r")
        #expect(fixture.loads.contains(load))
        fixture.fail(load, "broken")
        fixture.press(.end, .home)
        #expect(fixture.loads.contains(load))
    }

    @Test func `a late answer changes nothing`() throws {
        var fixture = filled()
        let ticket = try #require(fixture.running.first { if case .picture = $0.load { true } else { false } })
        guard case .picture(let request) = ticket.load else { return }
        fixture.press(.end)
        fixture.handle(.loaded(ticket, Fixture.picture(request)))
        #expect(fixture.browser.pictures[request] == nil)
    }

    @Test func `the oldest pictures beyond the limit are removed`() {
        var fixture = Fixture()
        fixture.answer(.feed(after: nil), Fixture.page(0..<100))
        var id: UInt32 = 0
        for _ in 0..<100 {
            for ticket in fixture.running {
                guard case .picture(let request) = ticket.load else { continue }
                id += 1
                fixture.answer(ticket, Fixture.picture(request, id: id))
            }
            fixture.press(.down)
        }
        #expect(fixture.browser.pictures.count == Browser.pictureLimit)
        #expect(fixture.frame.stored.count == Browser.pictureLimit && !fixture.frame.stored.contains(1))
    }

    @Test(arguments: [PictureSupport.none, .previews]) func `without support no picture is loaded`(
        support: PictureSupport
    ) {
        var fixture = filled(pictures: support)
        fixture.press(.enter)
        fixture.type("p")
        #expect(pictures(fixture).isEmpty)
        #expect((fixture.browser.screen == .comments) == (support == .none))
    }

    // MARK: Comments

    @Test func `comments open on enter, and going back cancels them and keeps the place`() {
        var fixture = filled()
        fixture.press(.down, .down, .down, .down)
        let top = fixture.browser.top
        fixture.press(.enter)
        #expect(fixture.loads.contains(.comments(of: Fixture.id(4), after: nil)))
        fixture.press(.escape)
        #expect(fixture.browser.screen == nil && fixture.browser.selected == 4 && fixture.browser.top == top)
        #expect(!fixture.loads.contains { if case .comments = $0 { true } else { false } })
    }

    @Test func `further comments load at the end of the list`() {
        var fixture = filled()
        fixture.press(.enter)
        fixture.answer(.comments(of: Fixture.id(0), after: nil), Fixture.comments(0..<20, next: 19))
        #expect(!fixture.loads.contains(.comments(of: Fixture.id(0), after: Fixture.id(19))))
        fixture.press(.end)
        fixture.fail(.comments(of: Fixture.id(0), after: Fixture.id(19)), "No connection")
        fixture.press(.end)
        fixture.answer(.comments(of: Fixture.id(0), after: Fixture.id(19)), Fixture.comments(20..<25))
        #expect(fixture.browser.comments.resource?.items.count == 25)
    }

    @Test func `comments that fail leave the picture and the text`() {
        var fixture = filled()
        fixture.press(.enter)
        fixture.fail(.comments(of: Fixture.id(0), after: nil), "No connection")
        #expect(fixture.text[22].contains("Comments are not available right now"))
        fixture.press(.escape)
        #expect(fixture.browser.banner == nil && fixture.browser.screen == nil)
    }

    @Test func `comments of another image never appear`() throws {
        var fixture = filled()
        fixture.press(.enter)
        let ticket = try #require(fixture.running.first { if case .comments = $0.load { true } else { false } })
        fixture.press(.escape, .down, .enter)
        fixture.handle(.loaded(ticket, Fixture.comments(0..<3)))
        #expect(fixture.browser.comments.resource == nil && fixture.browser.comments.isLoading)
    }

    // MARK: Other keys

    @Test func `the picture in full size has its neighbours beside it`() {
        var fixture = filled()
        fixture.type("p")
        #expect(fixture.browser.screen == .picture(fromComments: false))
        fixture.press(.right, .right, .left)
        #expect(fixture.browser.selected == 1 && pictures(fixture) == ["1.jpg"])
        fixture.press(.escape, .enter)
        fixture.type("p")
        fixture.press(.right)
        #expect(fixture.browser.selected == 1)
        fixture.press(.escape)
        #expect(fixture.browser.screen == .comments)
    }

    @Test func `l shows the next language, and answers in the old one are ignored`() throws {
        var fixture = Fixture()
        let old = try #require(fixture.running.first)
        fixture.type("l")
        #expect(fixture.browser.language == .ptBR && fixture.loads == [.feed(after: nil)])
        fixture.handle(.loaded(old, Fixture.page(0..<3)))
        #expect(fixture.browser.items.isEmpty)
        fixture.type("lll")
        #expect(fixture.browser.language == .en)
    }

    @Test func `t changes the colours, and ? shows the keys until another key`() {
        var fixture = filled()
        fixture.type("t")
        #expect(fixture.browser.theme.appearance == .light)
        fixture.type("?")
        #expect(fixture.text[0].contains("Keys") && fixture.text.contains { $0.contains("Quit") })
        fixture.type("q")
        #expect(!fixture.browser.showsKeys && fixture.others.isEmpty)
    }

    @Test func `q at the feed quits, Ctrl-C everywhere, Ctrl-Z suspends`() {
        var fixture = filled()
        fixture.press(.enter)
        fixture.type("q")
        #expect(fixture.others.isEmpty)
        fixture.type("q")
        #expect(fixture.others == [.quit])
        fixture.press(.enter, .control("c"), .control("z"))
        fixture.handle(.stopped)
        #expect(fixture.others == [.quit, .quit, .quit] && fixture.browser.suspensions == 1)
    }

    @Test func `the mouse chooses, opens and scrolls`() {
        var fixture = filled()
        fixture.handle(.input(.mouse(.press(column: 10, row: 9))))
        #expect(fixture.browser.selected == 1 && fixture.browser.screen == nil)
        fixture.handle(.input(.mouse(.press(column: 10, row: 9))))
        #expect(fixture.browser.screen == .comments)
        fixture.press(.escape)
        fixture.handle(.input(.mouse(.wheelDown)))
        fixture.handle(.input(.mouse(.wheelDown)))
        fixture.handle(.input(.mouse(.wheelUp)))
        #expect(fixture.browser.selected == 2)
        fixture.handle(.input(.mouse(.press(column: 10, row: 0))))
        #expect(fixture.browser.selected == 2)
    }

    // MARK: Any sequence

    @Test(arguments: 0..<UInt64(ModelSeeds.count(usual: 25))) func `any sequence keeps the rules`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var fixture = Fixture(columns: .random(in: 1...120, using: &random), rows: .random(in: 1...50, using: &random))
        let keys: [Input.Key] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .character("p"),
            .character("r"),
            .character("l"), .character("t"), .character("?"), .character("x"), .character(" "),
        ]
        var first = 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let size = ScreenSize(
                    columns: .random(in: 1...120, using: &random), rows: .random(in: 1...50, using: &random))
                fixture.handle(.resized(size))
            case 1: fixture.handle(.input(.mouse(Bool.random(using: &random) ? .wheelDown : .wheelUp)))
            case 2:
                let (column, row) = (Int.random(in: 0..<130, using: &random), Int.random(in: 0..<60, using: &random))
                fixture.handle(.input(.mouse(.press(column: column, row: row))))
            case 3...5: fixture.press(keys.randomElement(using: &random) ?? .up)
            default:
                guard let ticket = fixture.running.randomElement(using: &random) else { continue }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    fixture.fail(ticket, "It failed")
                    continue
                }
                switch ticket.load {
                case .feed(after: nil):
                    // Sometimes items were published, or removed.
                    first += Int.random(in: -2...2, using: &random)
                    fixture.answer(
                        ticket, Fixture.page(first..<first + Int.random(in: 0...10, using: &random), next: first + 9))
                case .feed: fixture.answer(ticket, Fixture.page(first + 10..<first + 20, next: first + 19))
                case .comments(_, let after):
                    fixture.answer(ticket, Fixture.comments(after == nil ? 0..<10 : 5..<30, next: 9))
                case .picture(let request): fixture.answer(ticket, Fixture.picture(request))
                }
            }
            check(fixture)
        }
    }

    private func check(_ fixture: BrowserFixture) {
        let browser = fixture.browser
        #expect(Set(fixture.loads).count == fixture.loads.count, "a load was under way twice")
        #expect(browser.items.isEmpty ? browser.selected == 0 : browser.items.indices.contains(browser.selected))
        #expect(browser.top <= browser.selected && browser.selected < browser.top + browser.layout.itemCount)
        #expect(Set(browser.items.map(\.id)).count == browser.items.count)
        // A state that loads has a load, and the other way round.
        func runs(_ isWanted: (BrowserLoad) -> Bool) -> Bool { fixture.loads.contains(where: isWanted) }
        #expect(browser.feed.isLoading == runs { $0 == .feed(after: nil) })
        #expect(browser.more.isLoading == runs { if case .feed(after: .some) = $0 { true } else { false } })
        #expect(
            browser.pictures.values.count { $0.isLoading }
                == fixture.loads.count { if case .picture = $0 { true } else { false } })
        for case .comments(let id, _) in fixture.loads { #expect(id == browser.current?.id) }
        let frame = fixture.frame
        #expect(frame.lines.count <= browser.size.rows)
        for placement in frame.placements {
            #expect(placement.row + placement.picture.rows <= frame.lines.count - 1)
        }
        for line in frame.lines {
            let plain = BrowserFixture.plain(line)
            #expect(DisplayWidth.of(plain) <= browser.size.columns, "\(plain)")
        }
    }
}
