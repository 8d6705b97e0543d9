import Presentation
import ServiceKit

/// The feed: a picture with its texts for each item.
struct FeedView {
    private let view: BrowserView

    init(_ view: BrowserView) { self.view = view }

    private var browser: Browser { view.browser }
    private var layout: FeedLayout { browser.layout }

    var frame: Frame {
        let feed = browser.feed
        let title = feed.resource?.title ?? view.texts[.feedTitle]
        let status = [news, feed.resource?.status].compactMap(\.self).joined(separator: "  ")
        var frame = Frame(lines: [view.heading(title, status, isLoading: feed.isLoading)])
        for index in browser.items.indices.dropFirst(browser.top) {
            guard frame.lines.count < layout.body.upperBound else { break }
            add(browser.items[index], isSelected: index == browser.selected, to: &frame)
        }
        if let footer { frame.lines.append(footer) }
        return frame
    }

    /// That there are new items above the screen.
    private var news: String? {
        guard browser.news > 0 else { return nil }
        return "↑ " + view.texts.text(browser.news == 1 ? .feedNewOne : .feedNewOther, String(browser.news))
    }

    private func add(_ item: FeedImageViewModel, isSelected: Bool, to frame: inout Frame) {
        let row = frame.lines.count
        let box = view.box(
            browser.picture(of: item, columns: layout.pictureColumns, rows: layout.pictureRows))
        let texts = lines(of: item, isSelected: isSelected)
        let mark = isSelected ? view.theme.accent("▌") + " " : "  "
        for line in 0..<layout.itemRows {
            let isText = texts.indices.contains(line)
            let start = line < layout.pictureRows ? mark + (box.map { $0.line(line) + "  " } ?? "") : ""
            frame.lines.append(isText ? start + texts[line] : start)
        }
        // A picture that is cut off by the end of the screen would scroll it.
        if let box, row + layout.pictureRows <= layout.body.upperBound,
            let placement = box.placement(column: 2, row: row)
        {
            frame.placements.append(placement)
        }
    }

    private func lines(of item: FeedImageViewModel, isSelected: Bool) -> [String] {
        let width = max(layout.width - layout.textColumn, 1)
        let location = item.location.map { view.theme.muted(DisplayWidth.truncated(Escaping.visible($0), to: width)) }
        let chips = item.chips.map { Escaping.visible("\($0.label) \($0.text)") }
        let notes = ([item.comments].compactMap(\.self) + chips).joined(separator: " · ")
        let note = notes.isEmpty ? nil : view.theme.muted(DisplayWidth.truncated(notes, to: width))
        let room = max(layout.pictureRows - [location, note].count { $0 != nil }, 1)
        var text = wrapped(item.description ?? item.title, width: width)
        if text.count > room {
            text = Array(text.prefix(room))
            text[room - 1] = DisplayWidth.truncated(text[room - 1] + " …", to: width)
        }
        if isSelected { text = text.map(view.theme.bold) }
        return [location].compactMap(\.self) + text + [note].compactMap(\.self)
    }

    /// After the last item: what happens with the next page.
    private var footer: String? {
        let (more, texts) = (browser.more, view.texts)
        guard let feed = browser.feed.resource else { return nil }
        if more.isLoading { return view.theme.muted(view.shortened("  … \(texts[.feedLoading])")) }
        if let error = more.error {
            return view.theme.danger(view.shortened("  \(Escaping.visible(error)) – r \(texts[.retry]) "))
        }
        return (feed.items.isEmpty ? feed.empty : feed.end)
            .map { view.theme.muted(view.shortened("  " + Escaping.visible($0))) }
    }
}
