import Presentation

/// A picture as large as the window.
struct PictureView {
    private let view: BrowserView

    init(_ view: BrowserView) { self.view = view }

    var frame: Frame {
        guard let item = view.browser.current, let box = view.box(view.browser.fullPicture) else {
            return Frame(lines: [""])
        }
        var frame = Frame(lines: [view.heading(item.title, item.location, isLoading: box.state?.isLoading == true)])
        frame.lines += (0..<box.request.rows).map(box.line)
        if let placement = box.placement(column: 0, row: 1) { frame.placements.append(placement) }
        return frame
    }
}
