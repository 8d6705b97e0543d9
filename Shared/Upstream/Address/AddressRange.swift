/// A block of addresses with a common prefix, and the reason why they are refused.
public struct AddressRange: Sendable {
    let first: IPAddress
    let bits: Int

    /// The kind, as it completes "it is …".
    let kind: String

    init(v4 a: UInt8, _ b: UInt8 = 0, _ c: UInt8 = 0, _ d: UInt8 = 0, bits: Int, _ kind: String) {
        first = IPAddress(v4: [a, b, c, d].reduce(0) { $0 << 8 | UInt32($1) })
        self.bits = bits
        self.kind = kind
    }

    /// - Parameter groups: the first groups of 16 bits. The other groups are zero.
    init(v6 groups: UInt16..., bits: Int, _ kind: String) {
        first = IPAddress(v6: groups)
        self.bits = bits
        self.kind = kind
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == first.bytes.prefix(whole) else { return false }
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0
    }
}

extension IPAddress {
    /// - Parameter groups: at most eight groups of 16 bits. The other groups are zero.
    init(v6 groups: [UInt16]) {
        bytes = (groups + Array(repeating: 0, count: 8 - groups.count)).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
