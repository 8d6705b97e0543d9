/// A JSON number with its exact text. Numbers are compared by their exact values: `1`, `1.0` and `10e-1` are equal.
public struct JSONNumber: Sendable {
    public let text: String

    /// Takes text that a `JSONReader` has validated.
    init(unchecked text: String) { self.text = text }

    public init(_ number: Int) { text = String(number) }

    /// The number if it is whole and within 64 bits.
    public var integer: Int? { Int(text) ?? WholeNumber.parse(text) }

    /// The number, rounded to the nearest `Double`; nil if it is out of range.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}

extension JSONNumber: Comparable {
    public static func == (one: JSONNumber, other: JSONNumber) -> Bool {
        one.text == other.text || one.decimal == other.decimal
    }

    public static func < (one: JSONNumber, other: JSONNumber) -> Bool { one.decimal < other.decimal }

    private var decimal: Decimal { Decimal(text) }
}

/// A number as `0.DIGITS × 10^exponent`, without zeros at the ends of the digits. Zero has no digits.
private struct Decimal: Comparable {
    private let isNegative: Bool
    private let digits: [UInt8]
    private let exponent: Int

    /// Larger exponents count as this one. It leaves room to add the length of any text.
    private static let maximumExponent = 1 << 60

    /// - Parameter text: a JSON number.
    init(_ text: String) {
        let parts = text.utf8.split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        let mantissa = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1)
        let whole = mantissa[0].drop { $0 == UInt8(ascii: "-") }
        let fraction = mantissa.count == 2 ? mantissa[1] : ""[...].utf8
        let zero = UInt8(ascii: "0")
        let written = Array(whole) + Array(fraction)
        let significant = written.drop { $0 == zero }
        digits = Array(significant.reversed().drop { $0 == zero }.reversed())
        isNegative = !digits.isEmpty && text.utf8.first == UInt8(ascii: "-")
        let point = whole.count - (written.count - significant.count)
        exponent = digits.isEmpty ? 0 : point + (parts.count == 2 ? Self.exponent(String(parts[1]) ?? "") : 0)
    }

    private static func exponent(_ text: String) -> Int {
        let limit = text.hasPrefix("-") ? -maximumExponent : maximumExponent
        return Int(text).map { min(max($0, -maximumExponent), maximumExponent) } ?? limit
    }

    static func < (one: Decimal, other: Decimal) -> Bool {
        if one.isNegative != other.isNegative { return one.isNegative }
        return one.isNegative ? other.isNearerToZero(than: one) : one.isNearerToZero(than: other)
    }

    private func isNearerToZero(than other: Decimal) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        if exponent != other.exponent { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}
