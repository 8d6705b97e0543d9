/// The host of a URL: a name for the resolver, or an address.
enum Host: Hashable, Sendable {
    /// In lower case, without a final dot.
    case name(String)
    case address(IPAddress)

    /// The maximum sizes of a name and of one of its labels in bytes (RFC 1035).
    private static let nameBytes = 253
    private static let labelBytes = 63

    /// Parses the host of a URL without decoding or folding. A host with full-width digits, percent escapes or an ideographic dot
    /// is refused, so that no later step can fold it into a host that was not checked.
    init(_ text: Substring) throws(UpstreamError) {
        if text.hasPrefix("[") {
            // `inet_pton` also refuses a zone (`%eth0`).
            guard text.hasSuffix("]"), let address = IPAddress(v6: text.dropFirst().dropLast()) else {
                throw .refused(.host(String(text)))
            }
            self = .address(address)
            return
        }
        let name = text.lowercased()
        let labels = (name.hasSuffix(".") ? name.dropLast() : name[...])
            .split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= Self.nameBytes, labels.allSatisfy(Self.isLabel), let last = labels.last else {
            throw .refused(.host(String(text)))
        }
        guard IPv4Spelling.isNumber(last) else {
            self = .name(labels.joined(separator: "."))
            return
        }
        // A host that ends in a number must be a valid address. A resolver might read it as another address.
        guard let address = IPv4Spelling.address(labels) else { throw .refused(.host(String(text))) }
        self = .address(address)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...labelBytes).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension Host: CustomStringConvertible {
    /// The host as written in a URL.
    var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.isV4 ? "\(address)" : "[\(address)]"
        }
    }
}
