import Foundation

/// Compares answers with the expectations of a contract script, and captures parts of them for later steps.
struct ContractPattern {
    /// The captured values by name, for `"${name}"`.
    private(set) var captured: [String: JSONValue] = [:]

    // MARK: Filling in

    /// The value with all placeholders filled in:
    /// - `"${name}"`: a captured value;
    /// - `"$new"`: a new UUID;
    /// - `{"$repeat": [value, n]}`: a text repeated n times, or a list of n values.
    func filled(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string("$new"): return .string(UUID().uuidString)
        case .string(let text) where text.hasPrefix("${") && text.hasSuffix("}"):
            let name = String(text.dropFirst(2).dropLast())
            guard let value = captured[name] else { throw ContractScript.Mistake("nothing was captured as \(name)") }
            return value
        case .array(let elements): return .array(try elements.map(filled))
        case .object(let members):
            guard let repetition = members["$repeat"] else { return .object(try members.mapValues(filled)) }
            guard case .array(let parts) = repetition, parts.count == 2, case .integer(let count) = parts[1] else {
                throw ContractScript.Mistake("$repeat takes a value and a number")
            }
            if case .string(let text) = parts[0], text != "$new" {
                return .string(String(repeating: text, count: count))
            }
            return .array(try (0..<count).map { _ in try filled(parts[0]) })
        default: return value
        }
    }

    // MARK: Comparing

    /// The differences between `actual` and the expected value; empty if they match. An expected value may be
    /// - `"$any"`, `"$uuid"` (in upper case), `"$date"` (in our format);
    /// - `{"$contains": text}` for a text that contains another;
    /// - `{"$capture": name}`, with `"of"` for a pattern that the value must match.
    /// - Parameter partially: whether to ignore members that are not expected.
    mutating func mismatches(
        _ expected: JSONValue, _ actual: JSONValue, at path: String, partially: Bool = false
    ) throws -> [String] {
        switch (expected, actual) {
        case (.string("$any"), _): return []
        case (.string("$uuid"), .string(let text)) where UUID(uuidString: text)?.uuidString == text: return []
        case (.string("$date"), .string(let text)) where text.wholeMatch(of: Self.date) != nil: return []
        case (.object(let members), _) where members["$capture"] != nil:
            guard case .string(let name)? = members["$capture"] else { throw ContractScript.Mistake("$capture what?") }
            captured[name] = actual
            return try mismatches(members["of"] ?? .string("$any"), actual, at: path)
        case (.object(let members), .string(let text)) where members["$contains"] != nil:
            guard case .string(let part)? = members["$contains"], text.contains(part) else { break }
            return []
        case (.array(let expected), .array(let actual)) where expected.count == actual.count:
            return try expected.indices.flatMap { index in
                try mismatches(expected[index], actual[index], at: "\(path)[\(index)]")
            }
        case (.object(let expected), .object(let actual)):
            let names = partially ? Set(expected.keys) : Set(expected.keys).union(actual.keys)
            return try names.sorted().flatMap { name -> [String] in
                guard let wanted = expected[name] else { return ["\(path).\(name) is not expected"] }
                guard let value = actual[name] else { return ["\(path).\(name) is missing"] }
                return try mismatches(wanted, value, at: "\(path).\(name)")
            }
        default: if expected == actual { return [] }
        }
        return ["\(path) is not \(try expected.json) but \(try actual.json.prefix(500))"]
    }

    private static var date: Regex<Substring> { /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000/ }
}
