/// A list of values with weights, as in `Accept`, `Accept-Encoding` and `Accept-Language` (RFC 9110 §12.4.2).
struct WeightedList {
    private let weights: [(value: String, weight: Double)]

    /// - Parameter field: `el, en;q=0.5`. An invalid weight counts as 0.
    init(_ field: String) {
        weights = field.lowercased().split(separator: ",").compactMap { part in
            let parts = part.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let value = parts.first, !value.isEmpty else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return (value, weight)
        }
    }

    /// The values in lower case, the most preferred first. Excluded ones (`q=0`) are omitted.
    var preferred: [String] {
        // Sorting by (weight, position) keeps the order of equal weights; `sort` does not promise it.
        weights.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.value)
    }

    /// The weight of a value; nil when the list does not name it.
    subscript(value: String) -> Double? { weights.first { $0.value == value }?.weight }
}
