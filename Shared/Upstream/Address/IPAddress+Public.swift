extension IPAddress {
    /// Why this is not a public address; nil for a public address.
    ///
    /// Obsolete embeddings (6to4, Teredo, IPv4-compatible) are always refused. For current embeddings, the IPv4 address that
    /// the packets reach decides.
    var whyNotPublic: String? {
        if isV4 { return AddressRange.specialV4.first { $0.contains(self) }?.kind }
        if let range = AddressRange.embeddingV6.first(where: { $0.contains(self) }) {
            return embedded(as: range.kind)
        }
        if let range = AddressRange.specialV6.first(where: { $0.contains(self) }) { return range.kind }
        guard AddressRange.globalV6.contains(self) else { return "not assigned to the internet" }
        return isISATAP ? embedded(as: "ISATAP") : nil
    }

    /// Whether the interface identifier embeds an IPv4 address (RFC 5214), under any prefix. The mask ignores the bits for
    /// unique (02) and group (01) in the first byte.
    private var isISATAP: Bool { bytes[8] & 0xFC == 0 && bytes[9...11].elementsEqual([0, 0x5E, 0xFE]) }

    private func embedded(as kind: String) -> String? {
        lastV4?.whyNotPublic.map { "\(kind) of an IPv4 address that is \($0)" }
    }

    /// The IPv4 address that the packets reach; nil for an address that embeds none.
    fileprivate var embeddedV4: IPAddress? {
        guard !isV4, isISATAP || AddressRange.embeddingV6.contains(where: { $0.contains(self) }) else { return nil }
        return lastV4
    }

    private var lastV4: IPAddress? { IPAddress(bytes.suffix(4)) }
}

extension AddressRange {
    /// Whether the block contains the IPv4 address that an IPv6 address embeds.
    func contains(embeddedIn address: IPAddress) -> Bool { address.embeddedV4.map { contains($0) } ?? false }
}
