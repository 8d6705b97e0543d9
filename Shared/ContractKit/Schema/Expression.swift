/// A regular expression of a schema (`pattern`), as ECMA-262 with the flag `u` reads it. It is matched in a time that is proportional
/// to the text, because schemas come from anyone: an expression that backtracks can take exponential time.
///
/// Not supported: back references, looking ahead and behind, and Unicode properties.
struct Expression {
    /// An expression that is not matched, and why.
    struct Refusal: Error, Equatable {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The maximum length of an expression in Unicode scalars.
    static let maximumLength = 1_000

    /// The maximum number in braces, as in `a{3,1000}`.
    static let maximumRepetition = 1_000

    /// The maximum number of instructions. Repetitions are written out.
    static let maximumInstructions = 10_000

    enum Instruction {
        case scalar(ScalarSet)
        case place(ExpressionPlace)
        /// Continues at both.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private var instructions: [Instruction] = []

    /// - Throws: `Refusal`.
    init(_ text: String) throws(Refusal) {
        try emit(ExpressionParser.node(text))
        try emit(.match)
    }

    // MARK: Compiling

    private mutating func emit(_ instruction: Instruction) throws(Refusal) {
        guard instructions.count < Self.maximumInstructions else {
            throw Refusal("its repetitions have more than \(Self.maximumInstructions) steps")
        }
        instructions.append(instruction)
    }

    /// Recursive; the parser limits the depth.
    private mutating func emit(_ node: ExpressionNode) throws(Refusal) {
        switch node {
        case .scalar(let set): try emit(Instruction.scalar(set))
        case .place(let place): try emit(Instruction.place(place))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .choice(let nodes):
            var ends: [Int] = []
            for node in nodes.dropLast() {
                let split = instructions.count
                try emit(.split(split + 1, 0))
                try emit(node)
                ends.append(instructions.count)
                try emit(.jump(0))
                instructions[split] = .split(split + 1, instructions.count)
            }
            if let last = nodes.last { try emit(last) }
            for end in ends { instructions[end] = .jump(instructions.count) }
        case .repeated(let node, let least, let most):
            for _ in 0..<least {
                let start = instructions.count
                try emit(node)
                // Repeating nothing changes nothing.
                if instructions.count == start { break }
            }
            guard let most else { return try emitLoop(node) }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(instructions.count)
                try emit(.split(0, 0))
                try emit(node)
            }
            for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        }
    }

    private mutating func emitLoop(_ node: ExpressionNode) throws(Refusal) {
        let split = instructions.count
        try emit(.split(split + 1, 0))
        try emit(node)
        try emit(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    // MARK: Matching

    /// Whether a text contains a match.
    /// - Parameter visits: how many instructions may still be visited; less than 0 when there were too few.
    func matches(in text: String, visits: inout Int) -> Bool {
        visits -= instructions.count
        let scalars = Array(text.unicodeScalars)
        var marks = [Int](repeating: -1, count: instructions.count)
        var threads: [Int] = []
        for position in 0...scalars.count {
            var reached: [Int] = []
            // A match may begin at every position.
            var open = [0] + threads
            while let index = open.popLast() {
                guard marks[index] != position else { continue }
                marks[index] = position
                visits -= 1
                guard visits >= 0 else { return false }
                switch instructions[index] {
                case .match: return true
                case .jump(let target): open.append(target)
                case .split(let first, let second): open += [second, first]
                case .place(let place): if place.isAt(position, of: scalars) { open.append(index + 1) }
                case .scalar(let set):
                    visits -= set.ranges.count / 8
                    if position < scalars.count, set.contains(scalars[position]) { reached.append(index + 1) }
                }
            }
            threads = reached
            if threads.isEmpty, isAnchored { return false }
        }
        return false
    }

    /// Whether a match can only begin at the start of the text.
    private var isAnchored: Bool { if case .place(.start)? = instructions.first { true } else { false } }
}

/// A position in a text that an expression names.
enum ExpressionPlace {
    case start, end, wordBoundary, insideOrOutsideWord

    func isAt(_ position: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch self {
        case .start: return position == 0
        case .end: return position == scalars.count
        case .wordBoundary, .insideOrOutsideWord:
            let before = position > 0 && ScalarSet.word.contains(scalars[position - 1])
            let after = position < scalars.count && ScalarSet.word.contains(scalars[position])
            return (before != after) == (self == .wordBoundary)
        }
    }
}
