import EdgeModel
import Foundation
import Presentation
import ServiceKit

/// Draws the browser. It depends on nothing but the state and the size of the window.
struct BrowserView {
    let browser: Browser
    let fitter: PictureFitter

    var frame: Frame {
        var frame = contents
        (frame.base, frame.number) = (theme.base, browser.paintings)
        for case .stored(let id, _)? in browser.pictures.values.map(\.resource?.content) { frame.stored.insert(id) }
        return frame
    }

    private var contents: Frame {
        guard !browser.layout.isTooSmall else { return Frame(lines: [shortened(texts[.feedTitle])]) }
        var frame: Frame
        if browser.showsKeys {
            frame = keys
        } else {
            frame =
                switch browser.screen {
                case nil: FeedView(self).frame
                case .comments: CommentsView(browser).frame(self)
                case .picture: PictureView(self).frame
                }
        }
        let last = browser.size.rows - 1
        frame.lines += Array(repeating: "", count: max(last - frame.lines.count, 0))
        frame.lines = Array(frame.lines.prefix(last))
        let row = browser.layout.body.upperBound - 1
        if let banner = browser.banner, !browser.showsKeys {
            let line = " \(Escaping.visible(banner)) – r \(texts[.retry]) "
            frame.lines[row] = theme.danger(DisplayWidth.padded(shortened(line), to: width))
            frame.placements.removeAll { $0.row + $0.picture.rows > row }
        }
        frame.lines.append(theme.muted(hints))
        return frame
    }

    var theme: Theme { browser.theme }
    var texts: Texts { Texts(browser.language) }
    var width: Int { browser.layout.width }

    func shortened(_ text: String) -> String { DisplayWidth.truncated(text, to: width) }

    /// The first line: what is shown, how old it is, and whether it is loading.
    func heading(_ title: String, _ status: String?, isLoading: Bool) -> String {
        let title = DisplayWidth.truncated(" " + Escaping.visible(title), to: width)
        let rest = [status.map { "  " + Escaping.visible($0) }, isLoading ? "  …" : nil].compactMap(\.self).joined()
        return theme.bold(title) + theme.muted(DisplayWidth.truncated(rest, to: width - DisplayWidth.of(title)))
    }

    func box(_ request: PictureRequest?) -> PictureCells? {
        request.map {
            PictureCells(request: $0, state: browser.pictures[$0], fitter: fitter, theme: theme, texts: texts)
        }
    }

    // MARK: Keys

    /// The last line: as many keys as fit.
    private var hints: String {
        let shown = browser.showsKeys ? [("Esc", texts[.pageBack])] : bindings.map { ($0.keys.first ?? "", $0.text) }
        var line = ""
        for (key, text) in shown {
            let longer = line + (line.isEmpty ? " " : " · ") + "\(key) \(text)"
            if DisplayWidth.of(longer) > width { break }
            line = longer
        }
        return line
    }

    private var keys: Frame {
        let names = bindings.map { $0.keys.joined(separator: " ") }
        let column = min((names.map(DisplayWidth.of).max() ?? 0) + 2, width / 2)
        let rows = zip(names, bindings).map { name, binding in
            let name = DisplayWidth.padded(DisplayWidth.truncated(name, to: column), to: column)
            return "  " + theme.accent(name) + DisplayWidth.truncated(binding.text, to: width - column - 2)
        }
        let notice =
            browser.support == .full
            ? [] : [""] + wrapped(texts[.browseNoPictures], width: width - 2).map { "  " + theme.muted($0) }
        return Frame(lines: [heading(texts[.browseKeys], nil, isLoading: false), ""] + rows + notice)
    }

    /// The keys for each action, the usual one first. The most important actions come first, because a narrow window shows no others.
    private var bindings: [(keys: [String], text: String)] {
        let picture = browser.support == .none ? [] : [(["p"], texts[.pictureFullSize])]
        let moving = ["↑↓", "PgUp", "PgDn", "Home", "End"]
        let back = (["Esc"], texts[.pageBack])
        let help = (["?"], texts[.browseKeys])
        let own =
            switch browser.screen {
            case nil:
                [
                    (moving, texts[.browseChoose]), (["⏎"], texts[.commentsTitle]),
                    (["q", "Ctrl-C"], texts[.browseQuit]), help,
                ]
                    + picture
            case .comments: [(moving, texts[.browseScroll]), back, help] + picture
            case .picture(fromComments: false):
                [back, (["←"], texts[.picturePrevious]), (["→"], texts[.pictureNext]), help]
            case .picture(fromComments: true): [back, help]
            }
        let other = theme.appearance == .dark ? TextKey.showLight : .showDark
        let colours = theme.depth == nil ? [] : [(["t"], texts[other])]
        return own + [(["r"], texts[.pageReload]), (["l"], texts[.pageLanguage])] + colours
    }
}

/// Breaks untrusted text into lines of a width. Its own line breaks remain.
func wrapped(_ text: String, width: Int) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .flatMap { Wrapping.lines(Escaping.visible(String($0)), width: width) }
}
