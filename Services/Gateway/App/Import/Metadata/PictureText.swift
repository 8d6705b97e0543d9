import Foundation

/// A text that a picture's file has for its readers.
enum PictureText {
    /// The line to be shown for the author is `credit`; `rights` is a notice of copyright; `license` is an address.
    case title, description, creator, credit, rights, license, source, alt, keyword, city, state, country, date

    /// The texts of one block of metadata. A field may have several.
    struct Source {
        /// The formats, the one that counts first at the beginning (Metadata Working Group, Guidelines 2.0, §5).
        enum Format: Int { case xmp, iptc, exif, plain }

        let format: Format
        let texts: [PictureText: [String]]

        init(_ format: Format, _ texts: [PictureText: [String]]) {
            (self.format, self.texts) = (format, texts)
        }
    }

    /// Text up to U+0000, of which many formats do not say how it is encoded: UTF-8 if it is valid, else Windows-1252.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let content = bytes.prefix { $0 != 0 }.prefix(longest)
        // The end may be cut inside a character.
        for cut in 0..<min(4, content.count + 1) {
            guard cut == 0 || content.count == longest else { break }
            if let text = String(validating: content.dropLast(cut), as: UTF8.self) { return text }
        }
        return String(data: Data(content), encoding: .windowsCP1252)
            ?? String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
    }

    /// The bytes of a text that are read; readers are shown fewer.
    static let longest = 1 << 16

    /// The texts of a field that are read.
    static let mostTexts = 256
}
