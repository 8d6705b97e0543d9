import Foundation

/// Reads the URLs of upstreams and of other programs as browsers do.
public enum WebAddress {
    /// Surrounding white space is ignored, invalid characters are percent-encoded, and a relative reference is resolved against the
    /// page.
    /// - Parameters:
    ///   - page: the URL of the page; nil if only an absolute URL counts.
    ///   - schemes: some of `http`, `https` and `urn`.
    /// - Returns: an absolute URL; nil for any other reference.
    public static func resolve(_ reference: String, page: String? = nil, schemes: [String]) -> String? {
        let text = String(String.UnicodeScalarView(reference.unicodeScalars.filter { !ignored.contains($0) }))
            .trimmingCharacters(in: .whitespaces)
        let base = page.flatMap { URL(string: $0) }
        guard !text.isEmpty, let url = URL(string: encoded(text), relativeTo: base),
            let scheme = url.scheme?.lowercased(), schemes.contains(scheme)
        else { return nil }
        let absolute = url.absoluteString
        switch scheme {
        case "http", "https": return url.host()?.isEmpty == false ? absolute : nil
        case "urn": return absolute.utf8.count > "urn:".utf8.count ? absolute : nil
        default: return nil
        }
    }

    /// Percent-encodes what browsers leave in a URL although RFC 3986 forbids it there: brackets behind the host, a percent sign without
    /// two digits, a second number sign.
    static func strict(_ url: String) -> String {
        guard url.utf8.contains(where: Set("%#[]".utf8).contains) else { return url }
        let bytes = Array(url.utf8)
        var result = Array(bytes[..<pathStart(bytes)])
        var hasFragment = false
        for index in result.count..<bytes.count {
            let isValid =
                switch bytes[index] {
                case UInt8(ascii: "%"): isEscape(bytes[index...])
                case UInt8(ascii: "#"): !hasFragment
                case UInt8(ascii: "["), UInt8(ascii: "]"): false
                default: true
                }
            if bytes[index] == UInt8(ascii: "#") { hasFragment = true }
            result += isValid ? [bytes[index]] : escape(bytes[index])
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Browsers remove these characters anywhere in a URL.
    private static let ignored: Set<Unicode.Scalar> = ["\t", "\n", "\r"]

    /// Percent-encodes invalid characters after the host. Foundation encodes the host itself; it is not used for the
    /// rest, because it encodes valid escapes again when the text also has invalid characters.
    private static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result = Array(bytes[..<pathStart(bytes)])
        for index in result.count..<bytes.count {
            let byte = bytes[index]
            if allowed.contains(byte) || byte == UInt8(ascii: "%") && isEscape(bytes[index...]) {
                result.append(byte)
            } else {
                result += escape(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Where the host of an absolute or `//host` reference ends; 0 for other references.
    private static func pathStart(_ bytes: [UInt8]) -> Int {
        let delimiters = Set("/?#".utf8)
        let slashes = Array("//".utf8)
        let start = bytes.firstIndex { delimiters.contains($0) || $0 == UInt8(ascii: ":") }
        guard var start else { return 0 }
        if bytes[start] == UInt8(ascii: ":") { start += 1 } else if start > 0 { return 0 }
        guard bytes[start...].starts(with: slashes) else { return 0 }
        return bytes[(start + slashes.count)...].firstIndex(where: delimiters.contains) ?? bytes.count
    }

    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// The reserved and unreserved characters of RFC 3986.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=".utf8)
}
