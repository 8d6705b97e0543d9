/// Which of a peer's numbers were used. They come nearly in order: a message in parts and its attachments are numbered
/// together, and the attachments are announced when the last part has come.
struct IncomingNumbers {
    private var highest: UInt32 = 0

    /// Bit `n` says whether the number `n` below the highest was used.
    private var used = InlineArray<16, UInt64>(repeating: .max)

    /// How far behind the highest a number may come.
    static let reach: UInt32 = 1_024

    /// - Returns: false when the number was used before, or counts as used because it is too far behind.
    mutating func use(_ number: UInt32) -> Bool {
        if number > highest {
            advance(by: number - highest)
            highest = number
        }
        let distance = highest - number
        guard distance < Self.reach else { return false }
        let (word, bit) = (Int(distance / 64), UInt64(1) << UInt64(distance % 64))
        guard used[word] & bit == 0 else { return false }
        used[word] |= bit
        return true
    }

    private mutating func advance(by count: UInt32) {
        let (words, bits) = (Int(min(count, Self.reach) / 64), UInt64(count % 64))
        for index in used.indices.reversed() {
            let low = index - words
            var shifted = low >= 0 ? used[low] << bits : 0
            if bits > 0, low >= 1 { shifted |= used[low - 1] >> (64 - bits) }
            used[index] = shifted
        }
    }
}
