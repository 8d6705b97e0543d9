/// Texts whose bytes of UTF-8 were each written as a character of their own: `Ã©` for `é`, as Instagram's archives have them.
struct MisreadText {
    /// Whether the texts of the archive were misread.
    private let isCertain: Bool

    /// - Parameter texts: all texts of an archive. One that has bytes which no text has shows how all were written.
    init(_ texts: some Sequence<String>) {
        isCertain = texts.contains { Self.runs(of: $0).contains(where: \.hasControl) }
    }

    /// Repairs each character by itself, so that one that was not misread leaves no text damaged. The beginning of a character whose
    /// rest is missing is dropped.
    func repaired(_ text: String) -> String {
        let runs = Self.runs(of: text)
        guard isCertain || Self.areMisread(runs) else { return text }
        var repaired = String.UnicodeScalarView()
        for run in runs {
            if let character = run.character {
                repaired.append(contentsOf: character)
            } else {
                repaired.append(contentsOf: run.scalars)
            }
        }
        return String(repaired)
    }

    /// The scalars of a character that was misread, or another one.
    private struct Run {
        let scalars: ArraySlice<Unicode.Scalar>

        /// What was written: nothing for the beginning of a character, nil for a scalar that is none.
        var character: String.UnicodeScalarView?

        var lead: UInt32 { scalars.first?.value ?? 0 }
        var tail: [UInt32] { scalars.dropFirst().map(\.value) }

        /// No text has control characters of this block: they are bytes.
        var hasControl: Bool { tail.contains { (0x80...0x9F).contains($0) } }
    }

    private static func runs(of text: String) -> [Run] {
        let scalars = Array(text.unicodeScalars)
        var (runs, index) = ([Run](), 0)
        while index < scalars.count {
            let length = sequenceLength(scalars[index])
            let rest = scalars[index..<min(index + length, scalars.count)]
            let tail = rest.dropFirst().prefix { (0x80...0xBF).contains($0.value) }
            var run = Run(scalars: scalars[index...index + tail.count])
            if length > 1, tail.count == length - 1 {
                run.character = String(validating: rest.map { UInt8($0.value) }, as: UTF8.self)?.unicodeScalars
            } else if run.hasControl {
                run.character = String.UnicodeScalarView()
            }
            if run.character == nil { run = Run(scalars: scalars[index...index]) }
            runs.append(run)
            index += run.scalars.count
        }
        return runs
    }

    /// Whether a text was misread of which no character shows it for certain: each of the block is a part of a run that is likely.
    private static func areMisread(_ runs: [Run]) -> Bool {
        runs.contains { $0.character != nil }
            && runs.indices.allSatisfy { index in
                guard runs[index].character != nil else { return runs[index].lead < 0x80 }
                let (before, after) = (
                    index > 0 ? runs[index - 1] : nil, index + 1 < runs.count ? runs[index + 1] : nil
                )
                return isLikely(runs[index], between: before, after)
            }
    }

    private static func isLikely(_ run: Run, between before: Run?, _ after: Run?) -> Bool {
        switch run.lead {
        // In a word of capitals it is a letter with a sign behind it.
        case 0xC3:
            !("A"..."Z").contains(before?.scalars.last ?? " ") || ("a"..."z").contains(after?.scalars.first ?? " ")
                || !run.tail.allSatisfy(signs.contains)
        case 0xC2, 0xC4, 0xC5: true
        // Greek, Cyrillic, Arabic.
        case 0xCE...0xD1, 0xD8...0xDB: before?.character != nil || after?.character != nil
        case 0xE0...0xF4: !run.tail.allSatisfy(signs.contains)
        default: false
        }
    }

    /// What may stand behind a letter in a correct text: spaces, quotation marks, signs.
    private static let signs: Set<UInt32> = [0xA0, 0xA1, 0xAB, 0xAE, 0xB2, 0xB4, 0xB7, 0xBB, 0xBF]

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
