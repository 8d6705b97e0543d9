/// The graphics format of DEC terminals, which xterm, foot, mlterm, Windows Terminal and others show.
///
/// A band of six rows is drawn once for each of its colours. A character has one bit for each of the six pixels below each other.
enum Sixel {
    /// The levels of red, green and blue: 252 colours. Terminals have at least 256.
    private static let levels = (6, 7, 6)

    /// The sequence that draws the picture at the cursor.
    /// - Throws: `CancellationError`.
    static func sequence(_ pixels: Pixels) throws -> String {
        let indexes = try dithered(pixels)
        // Raster attributes: square pixels and the size. `1` leaves undrawn pixels as they are.
        var sequence = "\u{1B}P0;1q\"1;1;\(pixels.width);\(pixels.height)"
        for index in Set(indexes).sorted() { sequence += definition(of: index) }
        for top in stride(from: 0, to: pixels.height, by: 6) {
            try Task.checkCancellation()
            if top > 0 { sequence += "-" }
            sequence += band(indexes, width: pixels.width, rows: top..<min(top + 6, pixels.height))
        }
        return sequence + "\u{1B}\\"
    }

    /// In percent.
    private static func definition(of index: Int) -> String {
        let (red, green, blue) = parts(of: index)
        let percents = [(red, levels.0), (green, levels.1), (blue, levels.2)].map { $0 * 100 / ($1 - 1) }
        return "#\(index);2;\(percents[0]);\(percents[1]);\(percents[2])"
    }

    private static func parts(of index: Int) -> (red: Int, green: Int, blue: Int) {
        (index / (levels.1 * levels.2), index / levels.2 % levels.1, index % levels.2)
    }

    private static func band(_ indexes: [Int], width: Int, rows: Range<Int>) -> String {
        var masks: [Int: [UInt8]] = [:]
        for y in rows {
            for x in 0..<width {
                masks[indexes[y * width + x], default: [UInt8](repeating: 0, count: width)][x] |=
                    1 << UInt8(y - rows.lowerBound)
            }
        }
        // `$` returns to the beginning of the band.
        return masks.sorted { $0.key < $1.key }.map { "#\($0.key)" + runs($0.value) }.joined(separator: "$")
    }

    /// Run-length encoded: `!5A` is `AAAAA`. Blank pixels at the end are left out.
    private static func runs(_ masks: [UInt8]) -> String {
        let drawn = masks[...(masks.lastIndex { $0 != 0 } ?? 0)]
        var text = ""
        var start = drawn.startIndex
        while start < drawn.endIndex {
            let end = drawn[start...].firstIndex { $0 != drawn[start] } ?? drawn.endIndex
            let character = String(UnicodeScalar(63 + drawn[start]))
            text += end - start > 3 ? "!\(end - start)\(character)" : String(repeating: character, count: end - start)
            start = end
        }
        return text
    }

    /// The palette's index of each pixel. The error of each is spread to its neighbours (Floyd and Steinberg).
    private static func dithered(_ pixels: Pixels) throws -> [Int] {
        let (width, height) = (pixels.width, pixels.height)
        let sizes = [levels.0, levels.1, levels.2]
        // In sixteenths, with a margin of a pixel on both sides.
        var errors = [Int](repeating: 0, count: 3 * (width + 2))
        var indexes = [Int](repeating: 0, count: width * height)
        for y in 0..<height {
            try Task.checkCancellation()
            var next = [Int](repeating: 0, count: 3 * (width + 2))
            for x in 0..<width {
                for component in 0..<3 {
                    let place = 3 * (x + 1) + component
                    let wanted = Int(pixels.bytes[3 * (y * width + x) + component]) + errors[place] / 16
                    let steps = sizes[component] - 1
                    let level = min(max((wanted * steps + 127) / 255, 0), steps)
                    let error = wanted - level * 255 / steps
                    errors[place + 3] += 7 * error
                    next[place - 3] += 3 * error
                    next[place] += 5 * error
                    next[place + 3] += error
                    indexes[y * width + x] = indexes[y * width + x] * sizes[component] + level
                }
            }
            errors = next
        }
        return indexes
    }
}
