import JSON

/// Compares two schemas of the same value. New parameters must accept what the old ones accepted, a new result must be one that the
/// old schema allowed.
struct SchemaDiff {
    enum Role {
        case params
        case result
    }

    private let role: Role

    init(_ role: Role) { self.role = role }

    func changes(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        if old == new { return [] }
        if new == false { return [narrowed(path, "no value is allowed any longer")] }
        if old == false { return [widened(path, "values are allowed; there were none")] }
        return types(old, new, path) + values(old, new, path) + limits(old, new, path) + texts(old, new, path)
            + members(old, new, path) + alternatives(old, new, path) + elements(old, new, path)
            + otherKeywords(old, new, path)
    }

    // MARK: Effects

    /// Fewer values are allowed.
    private func narrowed(_ path: String, _ text: String) -> ContractChange {
        ContractChange(effect: role == .params ? .breaksCallers : .compatible, path: path, description: text)
    }

    /// More values are allowed.
    private func widened(_ path: String, _ text: String) -> ContractChange {
        ContractChange(effect: role == .result ? .breaksReaders : .compatible, path: path, description: text)
    }

    /// The effect is unknown, so that it counts as the worst one.
    private func breaking(_ path: String, _ text: String) -> ContractChange {
        ContractChange(effect: role == .params ? .breaksCallers : .breaksReaders, path: path, description: text)
    }

    // MARK: Keywords

    private func types(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let (before, after) = (Self.types(of: old), Self.types(of: new))
        if before == after { return [] }
        // A schema without a type allows all.
        guard let before else { return [narrowed(path, "the type becomes \(Self.text(after ?? []))")] }
        guard let after else { return [widened(path, "any type is allowed; it was \(Self.text(before))")] }
        let removed = before.filter { !after.contains($0) && !($0 == "integer" && after.contains("number")) }
        let added = after.filter { !before.contains($0) && !($0 == "integer" && before.contains("number")) }
        return (removed.isEmpty ? [] : [narrowed(path, "the type \(Self.text(removed)) is no longer allowed")])
            + (added.isEmpty ? [] : [widened(path, "the type \(Self.text(added)) is allowed too")])
    }

    private static func types(of schema: JSONValue) -> [String]? {
        schema["type"].map { ($0.elements ?? [$0]).compactMap(\.text) }
    }

    private static func text(_ types: [String]) -> String { types.joined(separator: " or ") }

    private func values(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let (before, after) = (Self.values(of: old), Self.values(of: new))
        switch (before, after) {
        case (nil, nil): return []
        case (nil, let after?): return [narrowed(path, "only \(JSONValue.array(after).json) is allowed")]
        case (let before?, nil): return [widened(path, "values other than \(JSONValue.array(before).json) are allowed")]
        case (let before?, let after?):
            return before.filter { !after.contains($0) }.map { narrowed(path, "the value \($0.json) is removed") }
                + after.filter { !before.contains($0) }.map { widened(path, "the value \($0.json) is added") }
        }
    }

    private static func values(of schema: JSONValue) -> [JSONValue]? {
        guard let constant = schema["const"] else { return schema["enum"]?.elements }
        return (schema["enum"]?.elements ?? [constant]).filter { $0 == constant }
    }

    private func limits(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let keywords: [(String, isLeast: Bool)] = [
            ("minimum", true), ("minLength", true), ("minItems", true), ("maximum", false),
            ("maxLength", false), ("maxItems", false),
        ]
        return keywords.compactMap { keyword, isLeast in
            let (before, after) = (old[keyword], new[keyword])
            if before == after { return nil }
            let text = "\(keyword) changes from \(before?.json ?? "none") to \(after?.json ?? "none")"
            guard let limit = after?.number else { return widened(path, text) }
            guard let former = before?.number else { return narrowed(path, text) }
            return (isLeast ? limit > former : limit < former) ? narrowed(path, text) : widened(path, text)
        }
    }

    private func texts(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        ["pattern", "format"].flatMap { keyword -> [ContractChange] in
            switch (old[keyword], new[keyword]) {
            case (let before, let after) where before == after: return []
            case (nil, let after?): return [narrowed(path, "\(keyword) \(after.json) is added")]
            case (let before?, nil): return [widened(path, "\(keyword) \(before.json) is removed")]
            case (let before, let after):
                // A changed expression counts as breaking, because expressions are not compared.
                let text = "\(keyword) changes from \(before?.json ?? "none") to \(after?.json ?? "none")"
                return [breaking(path, text)]
            }
        }
    }

    private func members(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let (before, after) = (old["properties"]?.members ?? JSONMembers(), new["properties"]?.members ?? JSONMembers())
        let (needed, required) = (Self.required(in: old), Self.required(in: new))
        var changes: [ContractChange] = []
        for (name, schema) in before {
            let place = "\(path).\(name)"
            guard let successor = after[name] else {
                // Callers that send the member are refused. Readers of the result no longer find it.
                changes.append(breaking(place, "the member is removed"))
                continue
            }
            if needed.contains(name), !required.contains(name) {
                changes.append(widened(place, "the member becomes optional"))
            } else if !needed.contains(name), required.contains(name) {
                changes.append(narrowed(place, "the member becomes required"))
            }
            changes += self.changes(schema, successor, place)
        }
        for (name, _) in after where before[name] == nil {
            let isRequired = required.contains(name)
            let effect: ContractChange.Effect = role == .params && isRequired ? .breaksCallers : .compatible
            let text = isRequired ? "a required member is added" : "an optional member is added"
            changes.append(ContractChange(effect: effect, path: "\(path).\(name)", description: text))
        }
        // Required members that neither version describes.
        for name in needed.symmetricDifference(required).sorted() where before[name] == nil && after[name] == nil {
            let place = "\(path).\(name)"
            changes.append(
                required.contains(name)
                    ? narrowed(place, "the member becomes required") : widened(place, "the member becomes optional"))
        }
        return changes + others(old["additionalProperties"] ?? true, new["additionalProperties"] ?? true, path)
    }

    private static func required(in schema: JSONValue) -> Set<String> {
        Set((schema["required"]?.elements ?? []).compactMap(\.text))
    }

    /// Members without a declaration of their own.
    private func others(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        switch (old, new) {
        case (let old, let new) where old == new: []
        case (_, false): [narrowed(path, "further members are no longer allowed")]
        case (false, _): [widened(path, "further members are allowed")]
        default: changes(old, new, "\(path).*")
        }
    }

    private func alternatives(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        ["anyOf", "oneOf"].flatMap { keyword -> [ContractChange] in
            let (before, after) = (old[keyword]?.elements, new[keyword]?.elements)
            if before == after { return [] }
            guard let before else { return [narrowed(path, "\(keyword) is added")] }
            guard let after else { return [widened(path, "\(keyword) is removed")] }
            let removed = before.filter { !after.contains($0) }
            let added = after.filter { !before.contains($0) }
            // A value must match exactly one: one more alternative may refuse values, and one less may allow some.
            let isUnknown = keyword == "oneOf" && !Self.excludeEachOther(before + added)
            let (whenRemoved, whenAdded) = isUnknown ? (breaking, breaking) : (narrowed, widened)
            return removed.map { whenRemoved(path, "the alternative \($0.excerpt) is removed") }
                + added.map { whenAdded(path, "the alternative \($0.excerpt) is added") }
        }
    }

    /// The maximum number of alternatives that are compared with each other. More count as unknown.
    static let maximumAlternatives = 100

    /// Whether no value matches two of the schemas.
    private static func excludeEachOther(_ schemas: [JSONValue]) -> Bool {
        schemas.count <= maximumAlternatives
            && schemas.indices.allSatisfy { index in schemas[..<index].allSatisfy { exclude($0, schemas[index]) } }
    }

    /// Whether two schemas differ in their types, their values, or those of a member that both require. Recursive; the reader limits
    /// the depth.
    private static func exclude(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if let types = Self.types(of: one), let others = Self.types(of: other) {
            let numbers: Set = ["integer", "number"]
            if !types.contains(where: {
                others.contains($0) || numbers.contains($0) && !numbers.isDisjoint(with: others)
            }) {
                return true
            }
        }
        if let values = Self.values(of: one), let others = Self.values(of: other),
            !values.contains(where: others.contains)
        {
            return true
        }
        guard types(of: one) == ["object"], types(of: other) == ["object"] else { return false }
        return required(in: one).intersection(required(in: other)).contains { name in
            exclude(one["properties"]?[name] ?? true, other["properties"]?[name] ?? true)
        }
    }

    private func elements(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let (before, after) = (old["items"] ?? true, new["items"] ?? true)
        return before == after ? [] : changes(before, after, "\(path)[]")
    }

    /// The keywords that the functions above compare.
    private static let compared: Set = [
        "type", "enum", "const", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern",
        "format", "properties", "required", "additionalProperties", "anyOf", "oneOf", "items",
    ]

    /// The keywords that allow and refuse no value.
    private static let annotations: Set = ["title", "description", "default", "examples", "$comment"]

    private func otherKeywords(_ old: JSONValue, _ new: JSONValue, _ path: String) -> [ContractChange] {
        let names = Set((old.members?.names ?? []) + (new.members?.names ?? []))
        return names.subtracting(Self.compared).subtracting(Self.annotations).sorted().compactMap { keyword in
            let (before, after) = (old[keyword], new[keyword])
            if before == after { return nil }
            let text = "\(keyword) changes from \(before?.excerpt ?? "none") to \(after?.excerpt ?? "none")"
            return breaking(path, text)
        }
    }
}
