import JSON

extension ContractSuite {
    /// The contract with the examples of each method: the steps that are marked with `"example": true`. Placeholders have sample
    /// values.
    public func addingExamples(to contract: JSONValue) -> JSONValue {
        guard var members = contract.members, let methods = members["methods"]?.elements else { return contract }
        members["methods"] = .array(
            methods.map { method in
                guard var members = method.members else { return method }
                let examples = cases.flatMap(\.steps).compactMap { $0.example(of: members["name"]?.text ?? "") }
                members["examples"] = examples.isEmpty ? nil : .array(examples)
                return .object(members)
            })
        return .object(members)
    }
}

extension ContractStep {
    /// `{"params", "result"}`; for a stream the result is its first item.
    fileprivate func example(of method: String) -> JSONValue? {
        guard isExample, case .call(let call) = action, call.method == method else { return nil }
        switch call.outcome {
        case .result(let result): return ["params": call.params.sample, "result": result.sample]
        case .items(let items, _): return items.first.map { ["params": call.params.sample, "result": $0.sample] }
        case .error: return nil
        }
    }
}

extension JSONValue {
    private static let samples: [String: JSONValue] = [
        "$uuid": "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E", "$new": "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E",
        "$date": "2026-03-01T10:15:00Z", "$string": "text", "$integer": 1, "$number": 1, "$boolean": true,
        "$array": [], "$object": [:], "$any": .null,
    ]

    /// A value that the pattern matches, the same each time.
    fileprivate var sample: JSONValue {
        switch self {
        case .string(let text) where text.contains("${"):
            return .string(text.replacing(/\$\{(\w+)\}/) { Self.id(for: String($0.1)) })
        case .string(let text): return Self.samples[text] ?? self
        case .array(let elements): return .array(elements.map(\.sample))
        case .object(let members):
            if let name = members["$capture"] { return members["of"]?.sample ?? name }
            if let elements = members["$unordered"] { return elements.sample }
            if let text = members["$contains"] { return text }
            if let range = members["$between"]?.elements { return range.first ?? .null }
            if let choices = members["$one"]?.elements { return (choices.first ?? .null).sample }
            if let members = members["$partial"] { return members.sample }
            if let original = members["$lower"] { return .string((original.sample.text ?? "").lowercased()) }
            return .object(
                JSONMembers(
                    members.filter { $1 != "$absent" }.map { (JSONValue.string($0).sample.text ?? $0, $1.sample) }))
        default: return self
        }
    }

    /// A UUID for a name: names with different letters at the end have different ones.
    private static func id(for name: String) -> String {
        let sum = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        let digits = String(sum, radix: 16, uppercase: true)
        return "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
