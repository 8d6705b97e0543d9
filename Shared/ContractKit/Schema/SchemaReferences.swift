import JSON

/// Checks the references of a schema: each has a target in the schema, and none leads back to itself for the same value. A schema may
/// refer to itself for the parts of a value, as that of a tree does.
struct SchemaReferences {
    private let root: JSONValue

    /// The schemas that apply to the same value, by the place of the schema that names them.
    private var sameValue: [SchemaPointer: [SchemaPointer]] = [:]

    /// The most schemas that may follow each other for the same value.
    static let longestChain = 32

    /// - Throws: `ContractMistake` with the place of the first wrong reference.
    static func check(_ schema: JSONValue) throws {
        var references = SchemaReferences(root: schema)
        try references.collect()
        try references.checkChains()
    }

    private init(root: JSONValue) { self.root = root }

    // MARK: Collecting

    private mutating func collect() throws {
        var open: [(SchemaPointer, JSONValue)] = [(.root, root)]
        while let (place, schema) = open.popLast() {
            guard sameValue[place] == nil, let keywords = schema.members else { continue }
            var same: [SchemaPointer] = []
            for (keyword, argument) in keywords {
                let inner = place.appending(keyword)
                switch keyword {
                case "$ref":
                    let (target, schema) = try target(of: argument, at: place)
                    same.append(target)
                    open.append((target, schema))
                case "not":
                    same.append(inner)
                    open.append((inner, argument))
                case "anyOf", "oneOf", "allOf":
                    for (index, schema) in (argument.elements ?? []).enumerated() {
                        same.append(inner.appending("\(index)"))
                        open.append((inner.appending("\(index)"), schema))
                    }
                case "items", "additionalProperties": open.append((inner, argument))
                case "properties", "$defs":
                    for (name, schema) in argument.members ?? JSONMembers() {
                        open.append((inner.appending(name), schema))
                    }
                default: break
                }
            }
            sameValue[place] = same
        }
    }

    private func target(of reference: JSONValue, at place: SchemaPointer) throws -> (SchemaPointer, JSONValue) {
        guard let text = reference.text, let pointer = SchemaPointer(reference: text) else {
            throw ContractMistake("\(place): $ref is \(reference.excerpt); write # or #/$defs/NAME")
        }
        guard let target = pointer.target(in: root) else {
            throw ContractMistake("\(place): $ref \(text) has no target; add the schema, or correct the reference")
        }
        return (pointer, target)
    }

    // MARK: Chains

    private func checkChains() throws {
        var lengths: [SchemaPointer: Int] = [:]
        for place in sameValue.keys.sorted(by: { $0.description < $1.description }) {
            _ = try length(from: place, after: [], &lengths)
        }
    }

    /// The length of the longest chain that begins at a place. Recursive; `longestChain` limits the depth.
    private func length(
        from place: SchemaPointer, after path: [SchemaPointer], _ lengths: inout [SchemaPointer: Int]
    ) throws -> Int {
        if let known = lengths[place], path.count + known <= Self.longestChain { return known }
        guard !path.contains(place) else {
            throw ContractMistake("\(place): the schema refers to itself for the same value; remove the reference")
        }
        guard path.count < Self.longestChain else {
            throw ContractMistake(
                "\(path[0]): more than \(Self.longestChain) schemas follow each other for the same value; join some")
        }
        var longest = 0
        for next in sameValue[place] ?? [] {
            longest = max(longest, try length(from: next, after: path + [place], &lengths))
        }
        lengths[place] = longest + 1
        return longest + 1
    }
}
