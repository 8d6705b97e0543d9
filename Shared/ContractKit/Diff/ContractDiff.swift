import JSON

/// Compares two versions of a contract (`contract.json`).
public struct ContractDiff: Sendable {
    /// All changes, method by method.
    public let changes: [ContractChange]

    public var isBreaking: Bool { changes.contains(where: \.isBreaking) }

    /// - Throws: `ContractMistake` when a value is not a contract.
    public init(from old: JSONValue, to new: JSONValue) throws {
        let (before, after) = (try Self.methods(of: old), try Self.methods(of: new))
        var changes: [ContractChange] = []
        if old["name"] != new["name"] {
            changes.append(
                ContractChange(
                    effect: .breaksCallers, path: "",
                    description:
                        "the name changes from \(old["name"]?.json ?? "none") to \(new["name"]?.json ?? "none")"))
        }
        for (name, method) in before {
            if let successor = after[name] {
                changes += Self.changes(of: name, from: method, to: successor)
            } else {
                changes.append(ContractChange(effect: .breaksCallers, path: name, description: "the method is removed"))
            }
        }
        for (name, _) in after where before[name] == nil {
            changes.append(ContractChange(effect: .compatible, path: name, description: "the method is added"))
        }
        self.changes = changes
    }

    private static func methods(of contract: JSONValue) throws -> JSONMembers {
        guard contract["name"]?.text != nil, let methods = contract["methods"]?.elements else {
            throw ContractMistake("a contract is an object with a name and methods")
        }
        return JSONMembers(
            try methods.map { method in
                guard let name = method["name"]?.text else { throw ContractMistake("a method has no name") }
                return (name, method)
            })
    }

    private static func changes(of name: String, from old: JSONValue, to new: JSONValue) -> [ContractChange] {
        func change(_ effect: ContractChange.Effect, _ text: String) -> ContractChange {
            ContractChange(effect: effect, path: name, description: text)
        }
        var changes: [ContractChange] = []
        if old["streams"] != new["streams"] {
            let text = new["streams"] == true ? "the method becomes a stream" : "the method is no longer a stream"
            changes.append(change(.breaksCallers, text))
        }
        if old["idempotent"] == true, new["idempotent"] != true {
            changes.append(change(.breaksCallers, "the method is no longer idempotent: a repeated call may act twice"))
        } else if old["idempotent"] != true, new["idempotent"] == true {
            changes.append(change(.compatible, "the method becomes idempotent"))
        }
        let (before, after) = (errors(of: old), errors(of: new))
        changes += after.filter { !before.contains($0) }.map { change(.breaksCallers, "the error \($0) is added") }
        changes += before.filter { !after.contains($0) }.map { change(.compatible, "the error \($0) is removed") }
        return changes
            + SchemaDiff(.params).changes(old["params"] ?? true, new["params"] ?? true, "\(name) params")
            + SchemaDiff(.result).changes(old["result"] ?? true, new["result"] ?? true, "\(name) result")
    }

    private static func errors(of method: JSONValue) -> [String] {
        (method["errors"]?.elements ?? []).compactMap(\.text)
    }
}
