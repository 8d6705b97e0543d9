import Foundation

/// The graphics protocol of kitty, which ghostty, WezTerm and Konsole understand too: a picture is sent once as PNG, and placed any
/// number of times.
enum KittyGraphics {
    /// The maximum number of base64 characters in one sequence, as the protocol sets it.
    static let chunk = 4_096

    /// Asks whether the terminal understands the protocol. A terminal that does answers `_Gi=31;OK`.
    static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"

    /// Stores a PNG under an id. `q=2` suppresses answers.
    static func store(_ png: Data, id: UInt32) -> String {
        let text = Array(png.base64EncodedString().utf8)
        return stride(from: 0, to: max(text.count, 1), by: chunk).map { start in
            let end = min(start + chunk, text.count)
            let keys = start == 0 ? "a=t,f=100,t=d,q=2,i=\(id)," : ""
            return
                "\u{1B}_G\(keys)m=\(end < text.count ? 1 : 0);\(String(decoding: text[start..<end], as: UTF8.self))\u{1B}\\"
        }.joined()
    }

    /// Shows a stored picture at the cursor in a box of cells, without moving the cursor.
    static func place(_ id: UInt32, columns: Int, rows: Int) -> String {
        "\u{1B}_Ga=p,q=2,i=\(id),p=1,c=\(columns),r=\(rows),C=1\u{1B}\\"
    }

    /// Removes all pictures from the screen. They stay stored.
    static let clear = "\u{1B}_Ga=d,d=a,q=2\u{1B}\\"

    static func delete(_ id: UInt32) -> String { "\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\" }
}
