import Foundation

/// Where readers find the text of a picture's licence.
public enum PictureLicense {
    /// - Parameter license: an SPDX identifier, the usual name of a Creative Commons licence, or a web address.
    /// - Returns: a URL, with other characters escaped; nil for any other text.
    public static func url(of license: String) -> String? {
        guard license.utf8.count <= longest else { return nil }
        let words = license.uppercased().split { " -–_".contains($0) }
        if let url = creativeCommons(words) { return url }
        // An address in a sentence is no address.
        guard !license.unicodeScalars.contains(where: \.properties.isWhitespace),
            let parts = URLComponents(string: license), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false
        else { return nil }
        return parts.string
    }

    /// The longest text that may be a name or an address, in bytes. An upstream may have longer ones, and comparing a text takes the square of
    /// the length of a run of combining marks.
    package static let longest = 2_048

    /// `CC-BY-SA-4.0`, `CC BY-SA 4.0`, `CC0-1.0`.
    private static func creativeCommons(_ words: [Substring]) -> String? {
        if words == ["CC0"] || words == ["CC0", "1.0"] { return "\(site)/publicdomain/zero/1.0/" }
        guard words.first == "CC", let version = words.last, versions.contains(String(version)) else { return nil }
        let terms = words.dropFirst().dropLast().joined(separator: "-").lowercased()
        return licenses.contains(terms) ? "\(site)/licenses/\(terms)/\(version)/" : nil
    }

    private static let site = "https://creativecommons.org"
    private static let licenses: Set = ["by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"]
    private static let versions: Set = ["1.0", "2.0", "2.5", "3.0", "4.0"]
}
