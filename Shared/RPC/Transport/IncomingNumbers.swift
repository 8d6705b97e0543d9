/// Which of a peer's numbers were used. They arrive nearly in order: a message in parts and its attachments are numbered
/// together, and the attachments are announced when the last part has arrived.
struct IncomingNumbers {
    private var highest: UInt32 = 0

    /// Whether a number was used, by its remainder; of the highest number and the `reach` - 1 before it. Made for the first
    /// number: most connections use none.
    private var used: [Bool] = []

    /// How far behind the highest a number may arrive.
    static let reach: UInt32 = 1_024

    /// - Returns: false when the number was used before, or counts as used because it is too far behind.
    mutating func use(_ number: UInt32) -> Bool {
        if used.isEmpty { used = Array(repeating: true, count: Int(Self.reach)) }
        if number > highest {
            let skipped = max(highest, number - min(number, Self.reach)) + 1..<number
            for number in skipped { used[Int(number % Self.reach)] = false }
            highest = number
        } else if highest - number >= Self.reach || used[Int(number % Self.reach)] {
            return false
        }
        used[Int(number % Self.reach)] = true
        return true
    }
}
