extension Codec where Value == String {
    /// A codec for an absolute URI (RFC 3986) with one of these schemes.
    /// - Parameter maximumBytes: the maximum length; nil for no limit.
    public static func uri(schemes: [String], maximumBytes: Int? = 2_048) -> Codec {
        var keywords: JSONSchema = ["format": .string("uri")]
        if let maximumBytes { keywords["maxLength"] = .integer(maximumBytes) }
        return string.map(
            describedAs: keywords,
            into: { text throws(JSONError) in
                if let maximumBytes, text.utf8.count > maximumBytes {
                    throw .refused("must have at most \(maximumBytes) bytes, has \(text.utf8.count)")
                }
                let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
                if !text.utf8.allSatisfy(isOfURI),
                    let stranger = text.unicodeScalars.first(where: { !$0.isASCII || !isOfURI(UInt8($0.value)) })
                {
                    throw .refused(
                        "must be a URL: U+\(String(stranger.value, radix: 16, uppercase: true)) must be escaped")
                }
                let scheme = text[..<colon].lowercased()
                guard !scheme.hasPrefix("http") || hasHost(text[colon...]) else {
                    throw .refused("must be a URL with a host: \(scheme)://example.org/…")
                }
                guard schemes.contains(scheme), text[colon...].utf8.count > 1 else {
                    throw .refused("must be a URL that begins with \(schemes.map { $0 + ":" }.joined(separator: ", "))")
                }
                return text
            },
            from: { $0 })
    }

    /// Whether `://` and the beginning of a host follow the scheme.
    private static func hasHost(_ rest: Substring) -> Bool {
        guard rest.utf8.starts(with: "://".utf8), let first = rest.utf8.dropFirst(3).first else { return false }
        return ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":")].contains(first)
    }

    /// Whether the byte is allowed in a URI (RFC 3986): reserved, unreserved, or the percent sign.
    private static func isOfURI(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        // ! # $ % & ' ( ) * + , - . / 0…9 : ;
        case 0x21, 0x23...0x3B: true
        case UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
