/// A host and a port.
struct HTTPAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address, without brackets.
    let host: String

    /// 0 stands for any free port.
    let port: Int

    /// Whether it stands for all addresses of the machine.
    var isWildcard: Bool { ["", "0.0.0.0", "::"].contains(host) }

    static let standard = HTTPAddress(host: "127.0.0.1", port: 8_080)

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// - Parameter text: `127.0.0.1:8080`, `localhost:0`, `[::1]:8080`.
    /// - Returns: nil for anything else.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[colon...].dropFirst()) else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        guard !host.isEmpty, isBracketed || !host.contains(where: { ":[]/ ".contains($0) }) else { return nil }
        self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    }

    static func port(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(text), (0...65_535).contains(port)
        else {
            return nil
        }
        return port
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
