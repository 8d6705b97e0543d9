import Presentation
import ServiceKit

/// An item with its picture and its comments, as lines that scroll.
struct CommentsView {
    enum Line: Equatable {
        /// A row of the picture's box.
        case picture(Int)
        case text(String)
    }

    private let browser: Browser

    init(_ browser: Browser) { self.browser = browser }

    private var theme: Theme { browser.theme }
    private var texts: Texts { Texts(browser.language) }
    private var width: Int { max(browser.layout.width - 2, 1) }

    var lines: [Line] {
        guard let item = browser.current else { return [] }
        let picture = (0..<(browser.commentsPicture?.rows ?? 0)).map(Line.picture)
        let location = item.location.map { [theme.muted(DisplayWidth.truncated(Escaping.visible($0), to: width))] }
        let text = wrapped(item.description ?? item.title, width: width)
        let tags = wrapped(item.tags.map { "#\($0)" }.joined(separator: " "), width: width).map(theme.muted)
        return picture
            + (text + (item.tags.isEmpty ? [] : tags) + (location ?? []) + [""] + heading + comments + footer).map(
                Line.text)
    }

    private var heading: [String] {
        let shown = browser.comments.resource
        let status = [shown?.status, browser.comments.isLoading ? "…" : nil].compactMap(\.self).joined(separator: "  ")
        let title = DisplayWidth.truncated(shown?.title ?? texts[.commentsTitle], to: width)
        let rest = DisplayWidth.truncated("  " + Escaping.visible(status), to: width - DisplayWidth.of(title))
        return [theme.bold(title) + theme.muted(rest), ""]
    }

    private var comments: [String] {
        (browser.comments.resource?.items ?? []).flatMap { comment in
            let name = DisplayWidth.truncated(Escaping.visible(comment.username), to: width)
            let date = DisplayWidth.truncated("  " + comment.date, to: width - DisplayWidth.of(name))
            return [theme.bold(name) + theme.muted(date)] + wrapped(comment.message, width: width) + [""]
        }
    }

    private var footer: [String] {
        let (shown, more) = (browser.comments.resource, browser.moreComments)
        if let error = more.error {
            let line = "\(Escaping.visible(error)) – r \(texts[.retry]) "
            return [theme.danger(DisplayWidth.truncated(line, to: width))]
        }
        if more.isLoading { return [theme.muted("…")] }
        return [shown?.empty].compactMap(\.self).map { theme.muted(DisplayWidth.truncated($0, to: width)) }
    }

    func frame(_ view: BrowserView) -> Frame {
        let box = view.box(browser.commentsPicture)
        let shown = lines.dropFirst(browser.scrolled).prefix(browser.layout.body.count)
        let title = browser.feed.resource?.title ?? texts[.feedTitle]
        var frame = Frame(lines: [view.heading(title, nil, isLoading: false)])
        frame.lines += shown.map { line in
            switch line {
            case .picture(let row): " " + (box?.line(row) ?? "")
            case .text(let text): " " + text
            }
        }
        if browser.scrolled == 0, let placement = box?.placement(column: 1, row: 1) {
            frame.placements.append(placement)
        }
        return frame
    }
}
