/// A set of Unicode scalars.
struct ScalarSet: Equatable {
    var ranges: [ClosedRange<UInt32>]
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } != isNegated }

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        (self.ranges, self.isNegated) = (ranges, isNegated)
    }

    init(_ scalar: Unicode.Scalar) { self.init([scalar.value...scalar.value]) }

    /// The ranges outside of these.
    var inverted: [ClosedRange<UInt32>] {
        var (start, result) = (UInt32(0), [ClosedRange<UInt32>]())
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > start { result.append(start...(range.lowerBound - 1)) }
            start = max(start, range.upperBound + 1)
        }
        return start <= 0x10FFFF ? result + [start...0x10FFFF] : result
    }

    static let digit = ScalarSet([0x30...0x39])
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    static let notLineEnd = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], isNegated: true)
}
