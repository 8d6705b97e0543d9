import FeedContract
import Foundation
import Presentation

/// The name under which a browser saves a picture. Without one it would be called `data`, after the end of the URL.
enum PictureName {
    /// The ends of the names of files, by media type.
    static let extensions = [
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif",
    ]

    /// The maximum length of the title in a name, in UTF-8. File systems allow 255 bytes for the whole name.
    static let maximumBytes = 120

    /// The value of `Content-Disposition` (RFC 6266): the title of the item, else its id.
    static func disposition(of item: FeedItem, contentType: String) -> String {
        let title = [item.description, item.location].compactMap(\.self).isEmpty ? "" : Self.title(of: item)
        let name = (title.isEmpty ? item.id.uuidString : title) + (extensions[contentType].map { "." + $0 } ?? "")
        let plain = String(
            name.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "%" ? Character($0) : "_" })
        let encoded = name.addingPercentEncoding(withAllowedCharacters: tokens) ?? ""
        return "inline; filename=\"\(plain)\"" + (plain == name ? "" : "; filename*=UTF-8''\(encoded)")
    }

    /// The title without what names of files cannot have.
    private static func title(of item: FeedItem) -> String {
        let title = FeedImagePresenter.title(
            description: item.description, location: item.location, language: .en)
        var (name, bytes) = ("", 0)
        for character in title {
            let scalars = character.unicodeScalars
            let isAllowed = scalars.allSatisfy {
                // The joiners are part of words and emoji; other characters for formatting can make a name look like another.
                joiners.contains($0) || !forbidden.contains($0) && !invisible.contains($0.properties.generalCategory)
            }
            let next: Character = isAllowed ? character : " "
            bytes += next.utf8.count
            guard bytes <= maximumBytes else { break }
            name.append(next)
        }
        // A name with a dot at its beginning is hidden; some systems allow none at the end.
        return name.split(separator: " ").joined(separator: " ").trimmingCharacters(in: [".", " "])
    }

    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
    private static let invisible: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator]

    /// Those of Windows.
    private static let forbidden = Set("/\\:*?\"<>|".unicodeScalars)

    /// The characters of RFC 5987, section 3.2.1, that need no encoding.
    private static let tokens = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~")
}
