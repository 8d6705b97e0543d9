extension JSONValue {
    public static let lineLength = 120

    /// The value over several lines.
    /// - Parameter lineLength: an array or object that fits into a line of this length stays on one, except the whole value; nil
    ///   gives every member and element a line of its own.
    public func formatted(lineLength: Int? = Self.lineLength) -> String {
        formatted(indent: 0, lead: 0, lineLength: lineLength, isRoot: true)
    }

    /// - Parameter lead: the columns before the value on its first line.
    private func formatted(indent: Int, lead: Int, lineLength: Int?, isRoot: Bool = false) -> String {
        if !isRoot, let lineLength, case let flat = oneLine, indent + lead + flat.count <= lineLength { return flat }
        let (inner, outer) = (String(repeating: " ", count: indent + 2), String(repeating: " ", count: indent))
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { name, value in
                let name = JSONValue.string(name).json
                let text = value.formatted(indent: indent + 2, lead: name.count + 3, lineLength: lineLength)
                return "\(inner)\(name): \(text)"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + $0.formatted(indent: indent + 2, lead: 1, lineLength: lineLength) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
        default: return json
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
