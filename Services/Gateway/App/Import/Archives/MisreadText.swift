/// Text whose bytes of UTF-8 were each written as a character of their own: `Ã©` for `é`, as Instagram's archives have it.
enum MisreadText {
    /// Repairs each run of such characters by itself, so that one other character does not leave the whole text damaged. The beginning
    /// of a character whose rest is missing is dropped.
    ///
    /// Correct texts have some of these runs, such as the `É»` at the end of a quotation. They stay unless another run shows that the
    /// text was misread.
    static func repaired(_ text: String) -> String {
        let runs = runs(of: Array(text.unicodeScalars))
        let isMisread = runs.contains { $0.certainty == .misread }
        let isWhole = !runs.contains { $0.certainty == .stray }
        var repaired = String.UnicodeScalarView()
        for run in runs {
            let isRepaired =
                switch run.certainty {
                case .misread: true
                case .likely: isMisread || isWhole
                case .unlikely: isMisread
                case .stray, .plain: false
                }
            repaired.append(contentsOf: isRepaired ? run.character : run.scalars)
        }
        return String(repaired).trimmingSuffix { $0.isWhitespace }
    }

    private enum Certainty {
        case misread, likely, unlikely

        /// A character of the same block, which in a misread text would be a part of a run.
        case stray
        case plain
    }

    private struct Run {
        let scalars: String.UnicodeScalarView

        /// What was written; nothing for a part of a character.
        var character = String.UnicodeScalarView()
        let certainty: Certainty
    }

    private static func runs(of scalars: [Unicode.Scalar]) -> [Run] {
        var (runs, index) = ([Run](), 0)
        while index < scalars.count {
            let length = sequenceLength(scalars[index])
            let rest = scalars[index..<min(index + length, scalars.count)]
            let tail = rest.dropFirst().prefix { (0x80...0xBF).contains($0.value) }
            // No text has control characters of this block: they are bytes.
            let hasControl = tail.contains { (0x80...0x9F).contains($0.value) }
            if length > 1, tail.count == length - 1,
                let character = String(validating: rest.map { UInt8($0.value) }, as: UTF8.self)
            {
                let isUsual = (0xC2...0xC5).contains(rest[index].value) || length > 2
                let isSeparated = tail.allSatisfy { signs.contains($0.value) }
                runs.append(
                    Run(
                        scalars: String.UnicodeScalarView(rest), character: character.unicodeScalars,
                        certainty: hasControl || isUsual && !isSeparated ? .misread : isUsual ? .likely : .unlikely))
                index += length
            } else if length > 1, hasControl {
                let part = String.UnicodeScalarView(scalars[index...index + tail.count])
                runs.append(Run(scalars: part, certainty: .misread))
                index += 1 + tail.count
            } else {
                let scalar = scalars[index]
                runs.append(
                    Run(
                        scalars: String.UnicodeScalarView([scalar]),
                        certainty: (0x80...0xFF).contains(scalar.value) ? .stray : .plain))
                index += 1
            }
        }
        return runs
    }

    /// What may stand behind a letter in a correct text: spaces, quotation marks, signs of ordinals and degrees.
    private static let signs: Set<UInt32> = [0xA0, 0xAA, 0xAB, 0xB0, 0xBA, 0xBB]

    /// The number of bytes of the character that begins with this byte; 1 for what begins none.
    private static func sequenceLength(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isSuffix: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isSuffix(last) { text.removeLast() }
        return text
    }
}
