/// A URL that may be fetched as far as its text tells. Whom it leads to is for `AddressGuard`.
struct HTTPURL: Hashable, Sendable {
    enum Scheme: String, Sendable {
        case http, https

        var port: Int { self == .http ? 80 : 443 }
    }

    let origin: Origin

    /// Path and query, as they are asked for.
    let target: String

    /// - Throws: `refused`, with what is wrong.
    init(_ text: String, limit: Int) throws(UpstreamError) {
        guard text.utf8.count <= limit else { throw .refused(.tooLong(bytes: text.utf8.count, limit: limit)) }
        if let byte = text.utf8.first(where: { !Self.isAllowed($0) }) { throw .refused(.character(byte)) }

        guard let colon = text.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: text[..<colon].lowercased()), text[colon...].hasPrefix("://")
        else {
            throw .refused(.scheme(String(text.prefix { $0 != ":" }.prefix(32))))
        }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw .refused(.credentials) }
        let (host, port) = Self.split(authority)
        origin = Origin(
            scheme: scheme, host: try Host(host), port: try Self.port(port, of: host) ?? scheme.port)

        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// Printable, and nothing that some reader takes for the end of the URL or for a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
            && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">")
    }

    /// - Returns: the port is nil when there is no colon for one.
    static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        // The colons of an IPv6 address stand inside its brackets.
        let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[afterBracket...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    static func port(_ text: Substring?, of host: Substring) throws(UpstreamError) -> Int? {
        guard let text else { return nil }
        guard (1...5).contains(text.utf8.count), text.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(text),
            (1...65_535).contains(port)
        else {
            throw .refused(.port("\(host):\(text)"))
        }
        return port
    }
}

extension HTTPURL: CustomStringConvertible {
    /// In one spelling, whatever it was written like.
    var description: String { "\(origin)\(target)" }
}
