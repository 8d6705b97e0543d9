/// Which of a peer's numbers were used. They come nearly in order: a message in parts and its attachments are numbered
/// together, and the attachments are announced when the last part has come.
struct IncomingNumbers {
    private var highest: UInt32 = 0

    /// Numbers below the highest that may still come.
    private var skipped: Set<UInt32> = []

    /// How far behind the highest a number may come.
    static let reach: UInt32 = 1_024

    /// - Returns: false when the number was used before, or counts as used because it is too far behind.
    mutating func use(_ number: UInt32) -> Bool {
        if number <= highest { return skipped.remove(number) != nil }
        let floor = number > Self.reach ? number - Self.reach : 1
        if highest + 1 < number { skipped.formUnion(max(highest + 1, floor)..<number) }
        if skipped.count > Self.reach { skipped = skipped.filter { $0 >= floor } }
        highest = number
        return true
    }
}
