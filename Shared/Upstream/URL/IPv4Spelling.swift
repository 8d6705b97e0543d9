/// The spellings of an IPv4 address that `inet_aton` and most resolvers accept: one to four numbers, each decimal, octal (`0177`)
/// or hexadecimal (`0x7f`). The last number fills all remaining bytes (`127.1`).
enum IPv4Spelling {
    /// - Returns: nil when the numbers are too many or too large.
    static func address(_ labels: [Substring]) -> IPAddress? {
        guard labels.count <= 4, let last = labels.last.flatMap(number) else { return nil }
        var value: UInt64 = 0
        for label in labels.dropLast() {
            guard let part = number(label), part <= 0xFF else { return nil }
            value = value << 8 | part
        }
        let bitsLeft = 8 * UInt64(5 - labels.count)
        guard last >> bitsLeft == 0 else { return nil }
        return UInt32(exactly: value << bitsLeft | last).map(IPAddress.init(v4:))
    }

    /// Whether a label looks like a number, even a malformed one (`09`, `0x`).
    static func isNumber(_ label: Substring) -> Bool {
        label.allSatisfy(isDigit) || (label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit))
    }

    private static func number(_ label: Substring) -> UInt64? {
        if label.hasPrefix("0x") {
            let digits = label.dropFirst(2)
            return digits.isEmpty ? 0 : digits.allSatisfy(\.isHexDigit) ? UInt64(digits, radix: 16) : nil
        }
        // `UInt64` would accept a sign.
        guard !label.isEmpty, label.allSatisfy(isDigit) else { return nil }
        return UInt64(label, radix: label.hasPrefix("0") && label.count > 1 ? 8 : 10)
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
