import Foundation

/// The text of a post's HTML, as far as Mastodon writes it: paragraphs, line breaks, links and character references.
enum HTMLText {
    /// Tags, comments, scripts and styles are removed. A line break becomes a line feed, the end of a block an empty line.
    static func plain(_ html: String) -> String {
        let bytes = Array(html.utf8)
        var (place, text) = (0, [UInt8]())
        /// Where the next `mark` is; the end of the text without one.
        func next(_ mark: String) -> Range<Int> {
            bytes.range(of: Array(mark.utf8), from: place) ?? bytes.count..<bytes.count
        }
        while let start = bytes.range(of: [UInt8(ascii: "<")], from: place)?.lowerBound {
            text += bytes[place..<start]
            place = start
            if bytes.has("<!--", at: start) {
                place = next("-->").upperBound
            } else if isTag(bytes[start...]) {
                let end = next(">")
                // What has no end is text.
                guard !end.isEmpty else { break }
                let tag = bytes[(start + 1)..<end.lowerBound]
                text += lineBreaks(for: tag).utf8
                place = end.upperBound
                if hidden.contains(name(of: tag)) { place = next("</").lowerBound }
            } else {
                text.append(bytes[start])
                place += 1
            }
        }
        return decoded(text + bytes[place...]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The elements whose content is no text.
    private static let hidden = ["script", "style"]

    /// Whether a text that begins with `<` begins with a tag, and not with the sign for "less than".
    private static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.dropFirst().first else { return false }
        return "/!?".utf8.contains(first) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
    }

    /// Converts a text that contains a known HTML tag, and returns any other text unchanged.
    static func plainIfMarked(_ text: String) -> String {
        let tag =
            /<\/?(?:p|br|b|i|u|a|em|strong|span|div|font|blockquote|ul|ol|li|h[1-6]|script|style|img)(?:\s[^<>]*)?\/?>/
            .ignoresCase()
        return text.contains(tag) ? plain(text) : text
    }

    private static func lineBreaks(for tag: ArraySlice<UInt8>) -> String {
        switch name(of: tag) {
        case "br", "br/", "/li": "\n"
        case "/p", "/blockquote", "/pre", "/ul", "/ol": "\n\n"
        default: ""
        }
    }

    private static func name(of tag: ArraySlice<UInt8>) -> String {
        let beginning = String(decoding: tag.prefix(longestName), as: UTF8.self)
        return String(beginning.lowercased().prefix { $0.isLetter || $0 == "/" })
    }

    private static let longestName = 16

    // MARK: Character references

    /// The longest reference, without `&` and `;`.
    private static let longestReference = 8

    /// The characters for references. Invalid UTF-8 becomes replacement characters.
    static func decoded(_ text: [UInt8]) -> String {
        var pieces = text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        var decoded = String(decoding: pieces.removeFirst(), as: UTF8.self)
        for piece in pieces {
            let text = String(decoding: piece, as: UTF8.self)
            if let end = piece.prefix(longestReference + 1).firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: piece[..<end], as: UTF8.self))
            {
                decoded += character + String(decoding: piece[(end + 1)...], as: UTF8.self)
            } else {
                decoded += "&" + text
            }
        }
        return decoded
    }

    private static func character(_ reference: String) -> String? {
        switch reference {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case "nbsp": "\u{A0}"
        default: numbered(reference).map { String(Character($0)) }
        }
    }

    /// `#39` or `#x27`. As in browsers, zero stands for U+FFFD, and a control character from 0x80 to 0x9F for the byte in Windows-1252.
    private static func numbered(_ reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return nil }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        guard let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits) else { return nil }
        let windows = (0x80...0x9F).contains(number) ? String(bytes: [UInt8(number)], encoding: .windowsCP1252) : nil
        return windows?.unicodeScalars.first ?? (number == 0 ? "\u{FFFD}" : Unicode.Scalar(number))
    }
}
