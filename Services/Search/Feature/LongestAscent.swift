/// The order of numbers.
public enum LongestAscent {
    /// The places of a longest ascending subsequence: the fewest numbers are left out so that the others ascend.
    public static func places(in numbers: [Int64]) -> Set<Int> {
        // For each length, the place of the smallest number that ends a subsequence of this length.
        var ends: [Int] = []
        var former = [Int?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            former[place] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var places: Set<Int> = []
        var next = ends.last
        while let place = next {
            places.insert(place)
            next = former[place]
        }
        return places
    }
}
