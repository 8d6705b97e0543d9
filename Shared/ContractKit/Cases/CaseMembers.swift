import JSON

/// The members of an object in a case, read strictly: a member of another type is a mistake, and so is one that is not read. An ignored
/// member would be a check that cannot fail.
struct CaseMembers {
    /// The name of the object for messages: `a step`.
    private let object: String
    private let members: JSONMembers
    private var unread: Set<String>

    init(_ json: JSONValue, of object: String) throws {
        guard let members = json.members else {
            throw ContractMistake("\(object) must be an object, is \(json.excerpt)")
        }
        (self.object, self.members, unread) = (object, members, Set(members.names))
    }

    /// Refuses a misspelt member before another one is reported as missing.
    /// - Parameter known: the names of all members that such an object may have.
    func check(known: Set<String>) throws {
        if let name = unread.subtracting(known).min() { throw unknown(name) }
    }

    private func unknown(_ name: String) -> ContractMistake {
        ContractMistake("\(name) is not a member of \(object)")
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    mutating func value(_ name: String) -> JSONValue? {
        unread.remove(name)
        return members[name]
    }

    mutating func text(_ name: String) throws -> String? { try read(name, "a text", \.text) }

    /// - Returns: false for an absent member.
    mutating func flag(_ name: String) throws -> Bool { try read(name, "true or false", \.boolean) ?? false }

    mutating func list(_ name: String) throws -> [JSONValue]? { try read(name, "a list", \.elements) }

    mutating func object(_ name: String) throws -> JSONMembers? { try read(name, "an object", \.members) }

    mutating func texts(_ name: String) throws -> [String]? {
        try read(name, "a list of texts") { value in
            guard let elements = value.elements, elements.allSatisfy({ $0.text != nil }) else { return nil }
            return elements.compactMap(\.text)
        }
    }

    mutating func milliseconds(_ name: String) throws -> Duration? {
        try read(name, "an integer of at least 1") { value in
            value.integer.flatMap { $0 < 1 ? nil : .milliseconds($0) }
        }
    }

    private mutating func read<Value>(
        _ name: String, _ type: String, _ convert: (JSONValue) -> Value?
    ) throws -> Value? {
        guard let json = value(name) else { return nil }
        guard let value = convert(json) else { throw ContractMistake("\(name) must be \(type), is \(json.excerpt)") }
        return value
    }

    /// - Throws: `ContractMistake` for a member that was not read.
    func finish() throws {
        if let name = unread.min() { throw unknown(name) }
    }
}
