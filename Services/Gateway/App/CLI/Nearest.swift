/// Finds the known name that a mistyped name probably means.
enum Nearest {
    /// - Returns: nil when no name is similar: at most a third of the characters may differ.
    static func to(_ name: String, among names: some Sequence<String>) -> String? {
        guard name.utf8.count <= longestName else { return nil }
        let typed = Array(name.lowercased())
        let limit = max(1, typed.count / 3)
        return names.lazy.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Longer ones in bytes are not compared: the time grows with the product of the lengths, and that of a comparison with the square
    /// of the combining marks of a character.
    private static let longestName = 256

    /// The number of inserted, deleted, replaced and swapped characters.
    static func distance(_ one: [Character], _ other: [Character]) -> Int {
        // The rows of the table of distances between prefixes: before the last one, the last one.
        var before = [Int]()
        var last = Array(0...other.count)
        for (i, left) in one.enumerated() {
            var row = [i + 1]
            for (j, right) in other.enumerated() {
                var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (left == right ? 0 : 1))
                if i > 0, j > 0, left == other[j - 1], one[i - 1] == right { least = min(least, before[j - 1] + 1) }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
