/// The IANA special-purpose address registries (RFC 6890 and later additions), without blocks that contain servers of the
/// public internet. The first block that contains an address gives the kind.
extension AddressRange {
    static let specialV4 = [
        AddressRange(v4: 0, bits: 8, "unspecified (\"this network\")"),
        AddressRange(v4: 10, bits: 8, "private"),
        AddressRange(v4: 100, 64, bits: 10, "carrier-grade NAT"),
        AddressRange(v4: 127, bits: 8, "loopback"),
        AddressRange(v4: 169, 254, bits: 16, "link-local"),
        AddressRange(v4: 172, 16, bits: 12, "private"),
        AddressRange(v4: 192, 0, 0, bits: 24, "reserved (IETF protocols)"),
        AddressRange(v4: 192, 0, 2, bits: 24, "documentation"),
        AddressRange(v4: 192, 88, 99, bits: 24, "reserved (6to4 relays)"),
        AddressRange(v4: 192, 168, bits: 16, "private"),
        AddressRange(v4: 198, 18, bits: 15, "benchmarking"),
        AddressRange(v4: 198, 51, 100, bits: 24, "documentation"),
        AddressRange(v4: 203, 0, 113, bits: 24, "documentation"),
        AddressRange(v4: 224, bits: 4, "multicast"),
        AddressRange(v4: 255, 255, 255, 255, bits: 32, "broadcast"),
        AddressRange(v4: 240, bits: 4, "reserved"),
    ]

    /// Blocks outside `globalV6` are listed only for the error text.
    static let specialV6 = [
        AddressRange(v6: 0, 0, 0, 0, 0, 0, 0, 0, bits: 128, "unspecified"),
        AddressRange(v6: 0, 0, 0, 0, 0, 0, 0, 1, bits: 128, "loopback"),
        AddressRange(v6: 0, 0, 0, 0, 0, 0, bits: 96, "IPv4-compatible (deprecated)"),
        AddressRange(v6: 0, 0, 0, 0, 0xFFFF, 0, bits: 96, "IPv4-translated"),
        AddressRange(v6: 0x64, 0xFF9B, 1, bits: 48, "local NAT64"),
        AddressRange(v6: 0x100, 0, 0, 0, bits: 64, "discard-only"),
        AddressRange(v6: 0x2001, 0, bits: 32, "Teredo"),
        AddressRange(v6: 0x2001, bits: 23, "reserved (IETF protocols)"),
        AddressRange(v6: 0x2001, 0xDB8, bits: 32, "documentation"),
        AddressRange(v6: 0x2002, bits: 16, "6to4"),
        AddressRange(v6: 0x3FFF, bits: 20, "documentation"),
        AddressRange(v6: 0x5F00, bits: 16, "segment routing"),
        AddressRange(v6: 0xFC00, bits: 7, "private"),
        AddressRange(v6: 0xFE80, bits: 10, "link-local"),
        AddressRange(v6: 0xFEC0, bits: 10, "site-local"),
        AddressRange(v6: 0xFF00, bits: 8, "multicast"),
    ]

    /// All addresses assigned to the public internet so far.
    static let globalV6 = AddressRange(v6: 0x2000, bits: 3, "global unicast")

    /// IPv6 addresses that stand for the IPv4 address in their last 32 bits. The IPv4 address decides whether they are public.
    static let embeddingV6 = [
        AddressRange(v6: 0, 0, 0, 0, 0, 0xFFFF, bits: 96, "IPv4-mapped"),
        AddressRange(v6: 0x64, 0xFF9B, 0, 0, 0, 0, bits: 96, "NAT64"),
    ]
}
