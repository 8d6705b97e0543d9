import Foundation

/// The protocol of iTerm2 for pictures between text, which WezTerm and others understand too.
enum InlineImage {
    /// The sequence that draws a picture at the cursor in a box of cells.
    static func sequence(_ data: Data, columns: Int, rows: Int) -> String {
        "\u{1B}]1337;File=inline=1;size=\(data.count);width=\(columns);height=\(rows);preserveAspectRatio=0;doNotMoveCursor=1:"
            + data.base64EncodedString() + "\u{07}"
    }
}
