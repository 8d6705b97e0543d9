extension IPAddress {
    /// Why this is no address of the public internet; nil when it is one.
    ///
    /// Embeddings that are no longer in use (6to4, Teredo, IPv4-compatible) are refused whatever they embed, so nothing
    /// has to be taken out of them. Those in use are judged by the IPv4 address that the packets end up at.
    var whyNotPublic: String? {
        if isV4 { return AddressRange.specialV4.first { $0.contains(self) }?.kind }
        if let range = AddressRange.embeddingV6.first(where: { $0.contains(self) }) {
            return embedded(as: range.kind)
        }
        if let range = AddressRange.specialV6.first(where: { $0.contains(self) }) { return range.kind }
        guard AddressRange.globalV6.contains(self) else { return "not assigned to the internet" }
        return isISATAP ? embedded(as: "ISATAP") : nil
    }

    /// An interface identifier that says "this host is the one with the following IPv4 address" (RFC 5214), under any
    /// prefix. Bits of the first byte tell whether it is unique (02) and a group (01).
    private var isISATAP: Bool { bytes[8] & 0xFC == 0 && bytes[9...11].elementsEqual([0, 0x5E, 0xFE]) }

    private func embedded(as kind: String) -> String? {
        lastV4?.whyNotPublic.map { "\(kind) of an IPv4 address that is \($0)" }
    }

    /// The IPv4 address that the packets end up at; nil for an address that embeds none.
    fileprivate var embeddedV4: IPAddress? {
        guard !isV4, isISATAP || AddressRange.embeddingV6.contains(where: { $0.contains(self) }) else { return nil }
        return lastV4
    }

    private var lastV4: IPAddress? { IPAddress(bytes.suffix(4)) }
}

extension AddressRange {
    /// Whether the block has the IPv4 address that an IPv6 address stands for.
    func contains(embeddedIn address: IPAddress) -> Bool { address.embeddedV4.map { contains($0) } ?? false }
}
