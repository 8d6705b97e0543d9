import JSON

/// The place of a value in the parameters, written as in the messages of errors: `items[0].location`.
struct ParameterPath: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case name(String)
        case position(Int)
    }

    let steps: [Step]

    /// - Returns: nil when the text is not a path.
    init?(_ text: some StringProtocol) {
        var steps: [Step] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            guard let name = pieces.first, !name.isEmpty || (steps.isEmpty && pieces.count > 1) else { return nil }
            if !name.isEmpty { steps.append(.name(String(name))) }
            for piece in pieces.dropFirst() {
                guard piece.hasSuffix("]"), let position = Int(piece.dropLast()), position >= 0 else { return nil }
                steps.append(.position(position))
            }
        }
        self.steps = steps
    }
}

extension JSONValue {
    /// The value at a path; nil when there is none.
    func at(_ path: some Sequence<ParameterPath.Step>) -> JSONValue? {
        path.reduce(self as JSONValue?) { value, step in
            switch step {
            case .name(let name): value?[name]
            case .position(let position): value?.elements.flatMap { position < $0.count ? $0[position] : nil }
            }
        }
    }
}
