import Presentation

/// The box of a picture: the picture, before it has come its preview or a blank box, after a failure a sign to retry.
struct PictureCells {
    let request: PictureRequest
    let state: LoadingState<TerminalPicture>?
    let fitter: PictureFitter
    let theme: Theme
    let texts: Texts

    /// The cells of a row, exactly as wide as the box.
    func line(_ row: Int) -> String {
        let blank = String(repeating: " ", count: request.columns)
        guard row < request.rows else { return blank }
        guard let picture = shown else {
            guard state?.error != nil, row == request.rows / 2 else { return theme.blank(blank) }
            let sign = DisplayWidth.truncated(" r \(texts[.retry])", to: request.columns)
            return theme.blank(DisplayWidth.padded(sign, to: request.columns))
        }
        let (left, upper) = offset(of: picture)
        switch picture.content {
        case .cells(let lines):
            guard lines.indices.contains(row - upper) else { return blank }
            let right = request.columns - left - picture.columns
            return String(repeating: " ", count: left) + lines[row - upper] + "\u{1B}[\(theme.base)m"
                + String(repeating: " ", count: max(right, 0))
        // The cells below a picture are not written: that would erase it.
        case .sequence, .stored: return "\u{1B}[\(request.columns)C"
        }
    }

    /// - Parameters:
    ///   - column: the column of the box.
    ///   - row: the row of the box.
    func placement(column: Int, row: Int) -> Frame.Placement? {
        guard let picture = state?.resource else { return nil }
        if case .cells = picture.content { return nil }
        let (left, upper) = offset(of: picture)
        return Frame.Placement(picture: picture, column: column + left, row: row + upper)
    }

    private var shown: TerminalPicture? {
        if let picture = state?.resource { return picture }
        guard state?.error == nil else { return nil }
        return fitter.preview(request.hints, columns: request.columns, rows: request.rows)
    }

    /// In the middle of the box.
    private func offset(of picture: TerminalPicture) -> (left: Int, upper: Int) {
        (max(request.columns - picture.columns, 0) / 2, max(request.rows - picture.rows, 0) / 2)
    }
}
