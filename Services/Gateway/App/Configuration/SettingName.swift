import ArgumentParser
import JSON

/// The name of a setting in `config.json`: the name of its object, and of the member in it.
struct SettingName: ExpressibleByArgument, Equatable, CustomStringConvertible {
    let parts: [String]

    init?(argument: String) {
        parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("") else { return nil }
    }

    init(_ parts: String...) { self.parts = parts }

    var description: String { parts.joined(separator: ".") }
}

/// A new value of a setting, NAME=VALUE; without a value the setting is removed. The same name again is a further value.
struct SettingChange: ExpressibleByArgument {
    let name: SettingName
    private(set) var values: [String]

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let name = SettingName(argument: parts[0]) else { return nil }
        (self.name, values) = (name, parts[1].isEmpty ? [] : [parts[1]])
    }

    /// One change for each setting, in the order of their names' first places.
    static func joined(_ changes: [SettingChange]) -> [SettingChange] {
        changes.reduce(into: []) { joined, change in
            if let index = joined.firstIndex(where: { $0.name == change.name }) {
                joined[index].values += change.values
            } else {
                joined.append(change)
            }
        }
    }

    func apply(to members: inout JSONMembers) {
        values.isEmpty ? members.unset(name) : members.set(name, to: values)
    }
}

extension JSONMembers {
    func value(of name: SettingName) -> JSONValue? {
        name.parts.dropFirst().reduce(self[name.parts[0]]) { $0?[$1] }
    }

    /// - Parameter values: several for an array; none is an empty array.
    mutating func set(_ name: SettingName, to values: [String]) {
        let values = values.map { Self.value($0, of: name) }
        set(name.parts[...], to: values.count == 1 ? values[0] : .array(values))
    }

    mutating func unset(_ name: SettingName) { set(name.parts[...], to: nil) }

    /// Objects on the way are made, and removed when they are empty.
    private mutating func set(_ path: ArraySlice<String>, to value: JSONValue?) {
        guard let first = path.first, path.count > 1 else {
            if let first = path.first { self[first] = value }
            return
        }
        var inner = self[first]?.members ?? JSONMembers()
        inner.set(path.dropFirst(), to: value)
        self[first] = inner.isEmpty ? nil : .object(inner)
    }

    /// The texts of the site are never flags or numbers.
    private static func value(_ text: String, of name: SettingName) -> JSONValue {
        guard name.parts.first != "site" else { return .string(text) }
        if let flag = Bool(text) { return .boolean(flag) }
        if let number = Int(text), String(number) == text { return .integer(number) }
        return .string(text)
    }
}
