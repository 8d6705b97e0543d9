import JSON

/// Finds placeholders of a case that would be compared as text, and variables that nothing defines. Otherwise a typing error would
/// make a check pass or be skipped.
struct CasePlaceholders {
    /// The names that `let` and earlier `$capture`s define.
    private var defined: Set<String> = []

    private static let known = Pattern.types.keys + ["$new", "$absent"]

    /// Adds the values of `let`, of which each may use those before it.
    mutating func define(_ values: JSONMembers) throws {
        for (name, value) in values {
            try check(value)
            defined.insert(name)
        }
    }

    /// A step may use what it captures itself: a pattern is filled in when it is compared.
    mutating func check(_ step: JSONValue) throws {
        define(capturesOf: step)
        try checkTexts(of: step)
    }

    private mutating func define(capturesOf value: JSONValue) {
        for child in value.children {
            if case .object(let members) = child, let name = members["$capture"]?.text { defined.insert(name) }
            define(capturesOf: child)
        }
    }

    private func checkTexts(of value: JSONValue) throws {
        if let text = value.text { try check(text) }
        for name in value.members?.names ?? [] { try checkVariables(of: name) }
        for child in value.children { try checkTexts(of: child) }
    }

    private func check(_ text: String) throws {
        if text.wholeMatch(of: /\$[a-z_]+/) != nil, !Self.known.contains(text) {
            throw ContractMistake("unknown placeholder \(text). Known: \(Self.known.sorted().joined(separator: ", "))")
        }
        try checkVariables(of: text)
    }

    private func checkVariables(of text: String) throws {
        for match in text.matches(of: /\$\{(\w+)\}/) where !defined.contains(String(match.1)) {
            throw ContractMistake(
                "${\(match.1)} is not defined: neither by let nor by a $capture of this step or an earlier one")
        }
    }
}

extension JSONValue {
    /// The elements of an array, or the values of an object.
    fileprivate var children: [JSONValue] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.1)
        default: []
        }
    }
}
