/// A URL whose text is valid and allowed. `AddressGuard` checks the addresses of its host.
struct HTTPURL: Hashable, Sendable {
    enum Scheme: String, Sendable {
        case http, https

        var port: Int { self == .http ? 80 : 443 }
    }

    let origin: Origin

    /// The path and query of the request.
    let target: String

    /// - Throws: `refused`.
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

    /// Whether the byte is printable and no parser treats it as a slash or as the end of the URL.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
            && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">")
    }

    /// - Returns: the host and the port; the port is nil without a colon.
    static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        // The colons of an IPv6 address are inside its brackets.
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
    /// The normalised URL.
    var description: String { "\(origin)\(target)" }
}
