extension JSONValue {
    static let lineLength = 120

    /// The value over several lines: what fits into a line stays on one.
    public var formatted: String { formatted(indent: 0, lead: 0, isRoot: true) }

    /// - Parameter lead: the columns before the value on its first line.
    private func formatted(indent: Int, lead: Int, isRoot: Bool = false) -> String {
        let flat = oneLine
        if !isRoot, indent + lead + flat.count <= Self.lineLength { return flat }
        let (inner, outer) = (String(repeating: " ", count: indent + 2), String(repeating: " ", count: indent))
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { name, value in
                let name = JSONValue.string(name).json
                return "\(inner)\(name): \(value.formatted(indent: indent + 2, lead: name.count + 3))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + $0.formatted(indent: indent + 2, lead: 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
        default: return flat
        }
    }

    private var oneLine: String {
        switch self {
        case .object(let members):
            "{" + members.map { "\(JSONValue.string($0).json): \($1.oneLine)" }.joined(separator: ", ") + "}"
        case .array(let elements): "[" + elements.map(\.oneLine).joined(separator: ", ") + "]"
        default: json
        }
    }
}
