extension AddressRange {
    /// Parses `10.0.0.0/8` or `2001:db8::/32`. An address without a length is a block of one.
    /// - Throws: `UpstreamOptionError`.
    public init(cidr text: String) throws(UpstreamOptionError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap(IPAddress.init(literal:)),
            let bits = Self.bits(parts.dropFirst().first, most: address.bytes.count * 8)
        else {
            throw UpstreamOptionError("\"\(text)\" is not a block of addresses: write 10.0.0.0/8 or 2001:db8::/32.")
        }
        self.init(first: address, bits: bits, kind: "denied by --deny-upstream \(text)")
        guard first == address else {
            throw UpstreamOptionError("\"\(text)\" is not the start of a block: write \(first)/\(bits).")
        }
    }

    /// - Parameter text: nil for an address without a length.
    private static func bits(_ text: Substring?, most: Int) -> Int? {
        guard let text else { return most }
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text).flatMap { $0 <= most ? $0 : nil }
    }

    /// The block that contains an address.
    private init(first address: IPAddress, bits: Int, kind: String) {
        first = address.prefix(bits)
        self.bits = bits
        self.kind = kind
    }
}

extension IPAddress {
    /// The address with all but its first bits set to zero.
    fileprivate func prefix(_ bits: Int) -> IPAddress {
        let kept = bytes.enumerated().map { index, byte in
            byte & ~UInt8(truncatingIfNeeded: 0xFF >> max(0, min(8, bits - index * 8)))
        }
        return IPAddress(kept) ?? self
    }
}
