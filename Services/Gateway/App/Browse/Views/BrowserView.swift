import EdgeModel
import Foundation
import Presentation

/// Draws the browser. It depends on nothing but the state and the size of the window.
struct BrowserView {
    let browser: Browser
    let fitter: PictureFitter

    var frame: Frame {
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
        frame.lines.append(theme.muted(shortened(hints)))
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

    /// The last line.
    private var hints: String { " " + bindings.map { "\($0) \($1)" }.joined(separator: " · ") }

    private var keys: Frame {
        let rows = bindings.map {
            "  " + theme.accent(DisplayWidth.padded($0, to: 6)) + DisplayWidth.truncated($1, to: width - 8)
        }
        let notice =
            browser.support == .full
            ? [] : [""] + wrapped(texts[.browseNoPictures], width: width - 2).map { "  " + theme.muted($0) }
        return Frame(lines: [heading(texts[.browseKeys], nil, isLoading: false), ""] + rows + notice)
    }

    /// The most important ones first, because a narrow window shows no others.
    private var bindings: [(String, String)] {
        let picture = browser.support == .none ? [] : [("p", texts[.pictureFullSize])]
        let own =
            switch browser.screen {
            case nil:
                [("↑↓", texts[.browseChoose]), ("⏎", texts[.commentsTitle]), ("q", texts[.browseQuit])] + help + picture
            case .comments: [("↑↓", texts[.browseScroll]), ("Esc", texts[.pageBack])] + help + picture
            case .picture(fromComments: false):
                [("Esc", texts[.pageBack]), ("←", texts[.picturePrevious]), ("→", texts[.pictureNext])] + help
            case .picture(fromComments: true): [("Esc", texts[.pageBack])] + help
            }
        let other = theme.appearance == .dark ? TextKey.showLight : .showDark
        return own + [("r", texts[.pageReload]), ("l", texts[.pageLanguage]), ("t", texts[other])]
    }

    private var help: [(String, String)] { [("?", texts[.browseKeys])] }
}

/// Breaks untrusted text into lines of a width. Its own line breaks remain.
func wrapped(_ text: String, width: Int) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .flatMap { Wrapping.lines(Escaping.visible(String($0)), width: width) }
}
