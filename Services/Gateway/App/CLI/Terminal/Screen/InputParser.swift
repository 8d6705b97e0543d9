/// Turns the bytes of a terminal into inputs. It accepts any bytes, in any pieces.
struct InputParser: Sendable {
    /// The maximum number of bytes of one sequence. A longer one is dropped.
    static let longestSequence = 1_024

    /// The maximum number in a sequence, more than any column, row or pixel of a cell.
    static let largestNumber = 9_999

    private var buffer: [UInt8] = []
    private var isPasting = false

    /// Whether the bytes so far may be the beginning of a sequence, or the escape key.
    var isWaiting: Bool { !buffer.isEmpty }

    mutating func parse(_ bytes: some Sequence<UInt8>) -> [Input] {
        buffer += bytes
        var inputs: [Input] = []
        while let (count, input) = Self.next(buffer[...]) {
            buffer.removeFirst(count)
            switch input {
            case .pasteBegins: isPasting = true
            case .pasteEnds: isPasting = false
            case .input(let input) where !isPasting: inputs.append(input)
            case .input, .nothing: break
            }
        }
        if buffer.count > Self.longestSequence { buffer = [] }
        return inputs
    }

    /// Ends a sequence that has not continued for some time: a lone escape is the escape key.
    mutating func flush() -> [Input] {
        defer { buffer = [] }
        return buffer == [Self.escape] && !isPasting ? [.key(.escape)] : []
    }

    // MARK: Grammar

    private enum Parsed {
        case input(Input)
        /// A paste is no keys.
        case pasteBegins, pasteEnds
        case nothing
    }

    private static let escape: UInt8 = 0x1B
    private static let bell: UInt8 = 0x07

    /// - Returns: the number of bytes and their meaning; nil when bytes are missing.
    private static func next(_ bytes: ArraySlice<UInt8>) -> (Int, Parsed)? {
        guard let first = bytes.first else { return nil }
        guard first == escape else { return first < 0x20 || first == 0x7F ? (1, control(first)) : character(bytes) }
        let rest = bytes.dropFirst()
        switch rest.first {
        case nil: return nil
        case escape: return (1, .input(.key(.escape)))
        case UInt8(ascii: "["): return controlSequence(rest.dropFirst()).map { ($0 + 2, $1) }
        case UInt8(ascii: "O"): return rest.dropFirst().first.map { (3, arrow($0)) }
        case UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            return text(rest).map { ($0 + 1, $1) }
        // A key with Alt.
        default: return character(rest).map { (count, _) in (count + 1, .nothing) } ?? (2, .nothing)
        }
    }

    private static func control(_ byte: UInt8) -> Parsed {
        switch byte {
        case 0x0A, 0x0D: .input(.key(.enter))
        case 0x08, 0x7F: .input(.key(.backspace))
        case 0x09: .input(.key(.tab))
        case 0x01...0x1A: .input(.key(.control(Character(UnicodeScalar(byte + 0x60)))))
        default: .nothing
        }
    }

    /// A character in UTF-8. A byte that cannot begin or continue one is dropped.
    private static func character(_ bytes: ArraySlice<UInt8>) -> (Int, Parsed)? {
        guard let first = bytes.first else { return nil }
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0
        guard length > 0 else { return (1, .nothing) }
        let continuation = bytes.dropFirst().prefix(length - 1)
        guard continuation.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (1, .nothing) }
        guard continuation.count == length - 1 else { return nil }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let character = text.first else {
            return (length, .nothing)
        }
        return (length, .input(.key(.character(character))))
    }

    /// Parameters, intermediate bytes and a final byte.
    private static func controlSequence(_ bytes: ArraySlice<UInt8>) -> (Int, Parsed)? {
        guard let end = bytes.firstIndex(where: { !(0x20...0x3F).contains($0) }) else { return nil }
        let parameters = String(decoding: bytes[..<end], as: UTF8.self)
        // A prefix like `<` marks a private sequence. Anything else that is no number counts as 0.
        let numbers = parameters.drop { "<=>?".contains($0) }.split(separator: ";", omittingEmptySubsequences: false)
            .map { UInt16($0).map(Int.init).flatMap { $0 <= largestNumber ? $0 : nil } ?? 0 }
        let count = end - bytes.startIndex + 1
        switch (parameters.first, bytes[end]) {
        case ("<", UInt8(ascii: "M")) where numbers.count == 3:
            return (count, mouse(numbers[0], column: numbers[1] - 1, row: numbers[2] - 1))
        case ("?", UInt8(ascii: "c")):
            return (count, .input(.answer(.attributes(hasSixel: numbers.dropFirst().contains(4)))))
        case (_, UInt8(ascii: "t")) where numbers.count == 3 && numbers[0] == 6 && numbers[1] > 0 && numbers[2] > 0:
            return (count, .input(.answer(.cell(CellSize(width: numbers[2], height: numbers[1])))))
        case (_, UInt8(ascii: "~")): return (count, special(numbers.first ?? 0))
        case (_, let final): return (count, arrow(final))
        }
    }

    private static func arrow(_ final: UInt8) -> Parsed {
        switch final {
        case UInt8(ascii: "A"): .input(.key(.up))
        case UInt8(ascii: "B"): .input(.key(.down))
        case UInt8(ascii: "C"): .input(.key(.right))
        case UInt8(ascii: "D"): .input(.key(.left))
        case UInt8(ascii: "H"): .input(.key(.home))
        case UInt8(ascii: "F"): .input(.key(.end))
        case UInt8(ascii: "M"): .input(.key(.enter))
        default: .nothing
        }
    }

    private static func special(_ number: Int) -> Parsed {
        switch number {
        case 1, 7: .input(.key(.home))
        case 4, 8: .input(.key(.end))
        case 5: .input(.key(.pageUp))
        case 6: .input(.key(.pageDown))
        case 200: .pasteBegins
        case 201: .pasteEnds
        default: .nothing
        }
    }

    private static func mouse(_ button: Int, column: Int, row: Int) -> Parsed {
        switch button {
        case 0 where column >= 0 && row >= 0: .input(.mouse(.press(column: column, row: row)))
        case 64: .input(.mouse(.wheelUp))
        case 65: .input(.mouse(.wheelDown))
        default: .nothing
        }
    }

    /// A string, up to its terminator: `ESC \` or a bell.
    private static func text(_ bytes: ArraySlice<UInt8>) -> (Int, Parsed)? {
        guard let end = bytes.firstIndex(where: { $0 == escape || $0 == bell }) else { return nil }
        let length = bytes[end] == bell ? 1 : 2
        guard end + length <= bytes.endIndex else { return nil }
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        let count = end + length - bytes.startIndex
        if text == "_Gi=31;OK" { return (count, .input(.answer(.kittyGraphics))) }
        if text.hasPrefix("]11;rgb:"), let color = color(text.dropFirst("]11;rgb:".count)) {
            return (count, .input(.answer(.background(color))))
        }
        return (count, .nothing)
    }

    /// `RRRR/GGGG/BBBB`, in one to four hexadecimal digits each.
    private static func color(_ text: Substring) -> RGB? {
        let parts = text.split(separator: "/").map { part -> UInt8? in
            guard (1...4).contains(part.count), let value = UInt32(part, radix: 16) else { return nil }
            return UInt8(value * 255 / ((1 << (4 * UInt32(part.count))) - 1))
        }
        guard parts.count == 3, let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
        return RGB(red, green, blue)
    }
}
