/// Whom a URL names: a name for the resolver, or an address.
enum Host: Hashable, Sendable {
    /// In lower case, without a final dot.
    case name(String)
    case address(IPAddress)

    /// The most bytes of a name and of one of its labels (RFC 1035).
    private static let nameBytes = 253
    private static let labelBytes = 63

    /// Reads the host as it stands in a URL. Nothing is decoded or folded: a host in full-width digits, in percent escapes or
    /// with an ideographic dot is refused, so that nobody after us can fold it to something else than was checked.
    init(_ text: Substring) throws(UpstreamError) {
        if text.hasPrefix("[") {
            // A zone (`%eth0`) is refused with the rest of what `inet_pton` does not take.
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
        // What ends in a number is an address or nothing: no resolver is asked what it takes it for.
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
    /// As it stands in a URL.
    var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.isV4 ? "\(address)" : "[\(address)]"
        }
    }
}
