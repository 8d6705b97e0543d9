/// Tracks which transfer numbers a peer has used. They arrive nearly in order: a message in parts and its attachments
/// are numbered together, and the attachments are announced when the last part has arrived.
struct IncomingNumbers {
    private var highest: UInt32 = 0

    /// A ring buffer: whether each of the last `reach` numbers was used, at the index number % `reach`. Allocated on
    /// first use, because most connections have no transfers.
    private var used: [Bool] = []

    /// How far behind the highest number another may arrive.
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
