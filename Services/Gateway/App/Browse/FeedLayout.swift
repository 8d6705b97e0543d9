/// Where things are on the screen of the feed. The first line is the heading, the last one the keys.
struct FeedLayout: Sendable, Equatable {
    /// Below this width there are no pictures.
    static let narrowest = 36

    /// A window with fewer columns or rows shows nothing but the title.
    static let smallest = ScreenSize(columns: 20, rows: 5)

    let size: ScreenSize
    let hasPictures: Bool

    var isTooSmall: Bool { size.columns < Self.smallest.columns || size.rows < Self.smallest.rows }

    /// Without the last column, so that a line can be erased behind its text.
    var width: Int { max(size.columns - 1, 1) }

    /// The lines between heading and keys.
    var body: Range<Int> { 1..<max(size.rows - 1, 2) }

    /// The lines of an item's picture and text.
    var pictureRows: Int { hasPictures ? min(max((body.count - 1) / 3 - 1, 3), 10) : 4 }

    /// Nearly three by two: a cell is twice as high as wide.
    var pictureColumns: Int {
        !hasPictures || size.columns < Self.narrowest ? 0 : min(3 * pictureRows, size.columns / 2)
    }

    /// The lines of an item with the blank one below.
    var itemRows: Int { pictureRows + 1 }

    /// The number of whole items on the screen.
    var itemCount: Int { max(body.count / itemRows, 1) }

    /// The column where an item's text begins, after the mark of the selection and the picture.
    var textColumn: Int { pictureColumns == 0 ? 2 : pictureColumns + 4 }

    /// The item at a line; nil outside of the list.
    func item(at row: Int, top: Int) -> Int? {
        body.contains(row) ? top + (row - body.lowerBound) / itemRows : nil
    }
}
