/// The fuzzer's bytes as a sequence of decisions. After the last byte, every decision is zero.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    mutating func one<Choice>(of choices: [Choice]) -> Choice { choices[number(below: choices.count)] }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        return Array(taken)
    }

    mutating func rest() -> [UInt8] { take(bytes.count) }
}
