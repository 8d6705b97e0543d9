/// Parses integers, including those with a fraction or an exponent. It works on digits: `Double` would round numbers
/// above 2^53 and those close to an integer.
package enum WholeNumber {
    /// - Parameter text: a JSON number.
    /// - Returns: nil when it has a fraction or an exponent, or exceeds 64 bits.
    package static func parse(digits text: UnsafeBufferPointer<UInt8>) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        guard text.count > (isNegative ? 1 : 0) else { return nil }
        var value = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let digit = Int(byte - UInt8(ascii: "0"))
            let (tens, isOver) = value.multipliedReportingOverflow(by: 10)
            // The negative range is larger by one, so negative numbers accumulate downwards.
            let (sum, isFurtherOver) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            if isOver || isFurtherOver { return nil }
            value = sum
        }
        return value
    }

    /// - Parameter text: a JSON number with a fraction or an exponent.
    /// - Returns: nil when the number is not an integer, or exceeds 64 bits.
    static func parse(_ text: String) -> Int? {
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1)
        let sign = mantissa[0].hasPrefix("-") ? "-" : ""
        var digits = mantissa[0].dropFirst(sign.count) + (mantissa.count == 2 ? mantissa[1] : "")
        let places = mantissa.count == 2 ? mantissa[1].utf8.count : 0
        guard digits.contains(where: { $0 != "0" }) else { return 0 }

        // An exponent that exceeds 64 bits cannot leave an integer within 64 bits.
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0 else { return nil }
        let (zeros, overflows) = exponent.subtractingReportingOverflow(places)
        if overflows { return nil }
        if zeros < 0 {
            guard zeros > -digits.utf8.count, digits.suffix(-zeros).allSatisfy({ $0 == "0" }) else { return nil }
            digits.removeLast(-zeros)
        } else {
            digits = digits.drop { $0 == "0" }
            guard zeros <= String(Int.max).utf8.count else { return nil }
            digits += String(repeating: "0", count: zeros)
        }
        return Int(sign + digits)
    }
}
