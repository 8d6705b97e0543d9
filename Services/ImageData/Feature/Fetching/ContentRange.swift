/// The header `Content-Range: bytes FIRST-LAST/TOTAL` (RFC 9110 §14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int

    /// Nil when the origin server does not state it.
    let total: Int?

    /// The number of bytes in the range.
    var count: Int { last - first + 1 }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return nil }
        let ends = numbers[0].split(separator: "-", omittingEmptySubsequences: false).map { Int(digits: $0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else { return nil }
        total = numbers[1] == "*" ? nil : Int(digits: numbers[1])
        guard numbers[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        (self.first, self.last) = (first, last)
    }
}

extension Int {
    /// Digits only: no sign, no spaces.
    fileprivate init?(digits text: Substring) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
