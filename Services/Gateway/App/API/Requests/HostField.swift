import Glibc

/// Validates a `Host` field (RFC 9110 §7.2): `uri-host [ ":" port ]`, as in a URI (RFC 3986 §3.2.2).
enum HostField {
    /// Whether the value is valid. An empty host is valid: it stands for a target without an authority.
    static func isValid(_ value: String) -> Bool {
        let bytes = trimmed(Array(value.utf8)[...])
        guard bytes.first == UInt8(ascii: "[") else {
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            return isName(bytes[..<colon]) && isPort(bytes[colon...])
        }
        guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        return isLiteral(bytes[..<bracket].dropFirst()) && isPort(bytes[bracket...].dropFirst())
    }

    /// Whether the value is valid as the authority of a URL, whose host must not be empty.
    static func isAuthority(_ value: String) -> Bool {
        guard let first = value.utf8.first, first != UInt8(ascii: ":") else { return false }
        return isValid(value)
    }

    /// Removes the spaces and tabs around a field's value.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = bytes.drop(while: isSpace)
        return rest[..<((rest.lastIndex { !isSpace($0) } ?? rest.startIndex - 1) + 1)]
    }

    /// Whether this is empty, or a colon and digits.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.isEmpty || bytes.first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy(isDigit)
    }

    /// Whether this is a registered name or an IPv4 address, which have the same grammar. It may be empty.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexadecimal) else { return false }
                rest = rest.dropFirst(2)
            } else if !isUnreservedOrDelimiter(byte) {
                return false
            }
        }
        return true
    }

    /// Whether this is an IPv6 address or an `IPvFuture` literal, without the brackets.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        if let first = bytes.first, first | 0x20 == UInt8(ascii: "v") {
            let parts = bytes.dropFirst().split(separator: UInt8(ascii: "."), maxSplits: 1)
            return parts.count == 2 && parts[0].allSatisfy(isHexadecimal)
                && parts[1].allSatisfy { isUnreservedOrDelimiter($0) || $0 == UInt8(ascii: ":") }
        }
        // A zero byte would end the C string.
        guard !bytes.contains(0) else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    private static func isUnreservedOrDelimiter(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || delimiters.contains(byte)
    }

    private static let delimiters = Set("-._~!$&'()*+,;=".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
