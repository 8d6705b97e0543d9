import Foundation

/// The text of a post's HTML, as far as Mastodon writes it: paragraphs, line breaks, links and character references.
enum HTMLText {
    /// Tags are removed. A line break becomes a line feed, the end of a block an empty line.
    static func plain(_ html: String) -> String {
        var pieces = html.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).map(Array.init)
        var text = pieces.removeFirst()
        for piece in pieces {
            if let end = piece.firstIndex(of: UInt8(ascii: ">")) {
                text += Array(lineBreaks(for: piece[..<end]).utf8) + piece[(end + 1)...]
            } else {
                text += [UInt8(ascii: "<")] + piece
            }
        }
        return decoded(text).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Converts a text that contains a known HTML tag, and returns any other text unchanged.
    static func plainIfMarked(_ text: String) -> String {
        let tag =
            /<\/?(?:p|br|b|i|u|a|em|strong|span|div|font|blockquote|ul|ol|li|h[1-6]|script|style|img)(?:\s[^<>]*)?\/?>/
            .ignoresCase()
        return text.contains(tag) ? plain(text) : text
    }

    private static func lineBreaks(for tag: ArraySlice<UInt8>) -> String {
        let name = String(decoding: tag, as: UTF8.self).lowercased().prefix { $0.isLetter || $0 == "/" }
        return switch name {
        case "br", "br/", "/li": "\n"
        case "/p", "/blockquote", "/pre", "/ul", "/ol": "\n\n"
        default: ""
        }
    }

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

    /// `#39` or `#x27`.
    private static func numbered(_ reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return nil }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }
}
