/// The parts of an expression.
indirect enum ExpressionNode {
    case scalar(ScalarSet)
    case place(ExpressionPlace)
    case sequence([ExpressionNode])
    case choice([ExpressionNode])
    /// `most` is nil without a limit.
    case repeated(ExpressionNode, least: Int, most: Int?)
}

/// Reads an expression.
struct ExpressionParser {
    typealias Refusal = Expression.Refusal

    /// The maximum nesting of groups.
    static let maximumDepth = 32

    private var rest: ArraySlice<Unicode.Scalar>

    /// - Throws: `Refusal`.
    static func node(_ text: String) throws(Refusal) -> ExpressionNode {
        guard text.unicodeScalars.count <= Expression.maximumLength else {
            throw Refusal("it has more than \(Expression.maximumLength) characters")
        }
        var parser = ExpressionParser(rest: Array(text.unicodeScalars)[...])
        let node = try parser.choice(depth: 0)
        guard parser.rest.isEmpty else { throw Refusal("a closing parenthesis has no opening one") }
        return node
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func choice(depth: Int) throws(Refusal) -> ExpressionNode {
        guard depth <= Self.maximumDepth else {
            throw Refusal("its groups are nested deeper than \(Self.maximumDepth)")
        }
        var choices = [try sequence(depth)]
        while take("|") { choices.append(try sequence(depth)) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence(_ depth: Int) throws(Refusal) -> ExpressionNode {
        var nodes: [ExpressionNode] = []
        while let next = rest.first, next != "|", next != ")" {
            let atom = try atom(depth)
            nodes.append(try repeated(atom))
        }
        return .sequence(nodes)
    }

    private mutating func atom(_ depth: Int) throws(Refusal) -> ExpressionNode {
        let first = rest.removeFirst()
        switch first {
        case "^": return .place(.start)
        case "$": return .place(.end)
        case ".": return .scalar(.notLineEnd)
        case "(": return try group(depth)
        case "[": return .scalar(try set())
        case "\\":
            if take("b") { return .place(.wordBoundary) }
            if take("B") { return .place(.insideOrOutsideWord) }
            return .scalar(try escape())
        case "*", "+", "?", "{", "}", "]": throw Refusal("\(first) repeats or closes nothing")
        default: return .scalar(ScalarSet(first))
        }
    }

    private mutating func group(_ depth: Int) throws(Refusal) -> ExpressionNode {
        if take("?") {
            if take("<") {
                guard let next = rest.first, next != "=", next != "!", let end = rest.firstIndex(of: ">") else {
                    throw Refusal("looking behind is not supported")
                }
                rest = rest[(end + 1)...]
            } else if !take(":") {
                throw Refusal("looking ahead is not supported")
            }
        }
        let node = try choice(depth: depth + 1)
        guard take(")") else { throw Refusal("a parenthesis is not closed") }
        return node
    }

    // MARK: Repetitions

    private mutating func repeated(_ node: ExpressionNode) throws(Refusal) -> ExpressionNode {
        let (least, most): (Int, Int?)
        switch rest.first {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{": return try counted(node)
        default: return node
        }
        rest.removeFirst()
        return lazily(.repeated(node, least: least, most: most))
    }

    private mutating func counted(_ node: ExpressionNode) throws(Refusal) -> ExpressionNode {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "}") else { throw Refusal("a brace is not closed") }
        let bounds = rest[..<end].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map {
            String(String.UnicodeScalarView($0))
        }
        let numbers = bounds.map { $0.allSatisfy(\.isASCII) ? UInt($0).map(Int.init(clamping:)) : nil }
        guard let least = numbers[0], numbers.count == 1 || numbers[1] != nil || bounds[1].isEmpty,
            !bounds.contains(where: { $0.hasPrefix("+") })
        else { throw Refusal("{\(bounds.joined(separator: ","))} is not a repetition") }
        let most = numbers.count == 1 ? least : numbers[1]
        guard max(least, most ?? 0) <= Expression.maximumRepetition, least <= most ?? least else {
            throw Refusal(
                "{\(bounds.joined(separator: ","))} is not a repetition of up to \(Expression.maximumRepetition)")
        }
        rest = rest[(end + 1)...]
        return lazily(.repeated(node, least: least, most: most))
    }

    /// A lazy repetition finds other matches, but matches the same texts.
    private mutating func lazily(_ node: ExpressionNode) -> ExpressionNode {
        _ = take("?")
        return node
    }

    // MARK: Sets

    private mutating func set() throws(Refusal) -> ScalarSet {
        var set = ScalarSet([], isNegated: take("^"))
        while let next = rest.first, next != "]" {
            let lower = try element()
            guard rest.first == "-", rest.dropFirst().first != "]", rest.count > 1 else {
                set.ranges += lower.ranges
                continue
            }
            rest.removeFirst()
            let upper = try element()
            guard let from = lower.only, let to = upper.only, from <= to else {
                throw Refusal("a range in brackets has no order")
            }
            set.ranges.append(from...to)
        }
        guard take("]") else { throw Refusal("a bracket is not closed") }
        return set
    }

    private mutating func element() throws(Refusal) -> ScalarSet {
        let first = rest.removeFirst()
        guard first == "\\" else { return ScalarSet(first) }
        if take("b") { return ScalarSet("\u{8}") }
        if take("-") { return ScalarSet("-") }
        return try escape()
    }

    // MARK: Escapes

    /// After the backslash.
    private mutating func escape() throws(Refusal) -> ScalarSet {
        guard let first = rest.popFirst() else { throw Refusal("it ends with a backslash") }
        switch first {
        case "d": return .digit
        case "D": return ScalarSet(ScalarSet.digit.inverted)
        case "w": return .word
        case "W": return ScalarSet(ScalarSet.word.inverted)
        case "s": return .space
        case "S": return ScalarSet(ScalarSet.space.inverted)
        case "t": return ScalarSet("\t")
        case "n": return ScalarSet("\n")
        case "r": return ScalarSet("\r")
        case "v": return ScalarSet("\u{B}")
        case "f": return ScalarSet("\u{C}")
        case "0" where rest.first.map { ("0"..."9").contains($0) } != true: return ScalarSet("\0")
        case "x": return try hexadecimal(digits: 2)
        case "u": return try unicode()
        case "0"..."9", "k": throw Refusal("back references are not supported")
        case "p", "P": throw Refusal("Unicode properties are not supported")
        case "a"..."z", "A"..."Z": throw Refusal("\\\(first) is not an escape")
        default: return ScalarSet(first)
        }
    }

    /// `\u0041`, a pair of surrogates, or `\u{41}`.
    private mutating func unicode() throws(Refusal) -> ScalarSet {
        if take("{") {
            guard let end = rest.firstIndex(of: "}") else { throw Refusal("a brace is not closed") }
            let digits = end - rest.startIndex
            let set = try hexadecimal(digits: digits)
            rest.removeFirst()
            return set
        }
        let (start, high) = (rest, try number(digits: 4))
        guard (0xD800...0xDBFF).contains(high) else {
            rest = start
            return try hexadecimal(digits: 4)
        }
        guard take("\\"), take("u"), case let low = try number(digits: 4), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw Refusal("a surrogate has no other one") }
        return ScalarSet(scalar)
    }

    private mutating func hexadecimal(digits: Int) throws(Refusal) -> ScalarSet {
        guard let scalar = Unicode.Scalar(try number(digits: digits)) else {
            throw Refusal("an escape is not a Unicode character")
        }
        return ScalarSet(scalar)
    }

    private mutating func number(digits: Int) throws(Refusal) -> UInt32 {
        let text = String(String.UnicodeScalarView(rest.prefix(digits)))
        guard (1...8).contains(digits), text.utf8.count == digits, text.allSatisfy(\.isHexDigit),
            let number = UInt32(text, radix: 16)
        else { throw Refusal("an escape has too few hexadecimal digits") }
        rest = rest.dropFirst(digits)
        return number
    }
}

extension ScalarSet {
    /// The scalar of a set with one.
    fileprivate var only: UInt32? {
        guard ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }
}
