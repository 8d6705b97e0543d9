import ArgumentParser
import JSON

/// The name of a setting in `config.json`: the name of its object, and of the member in it.
struct SettingName: ExpressibleByArgument {
    let parts: [String]

    init?(argument: String) {
        parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("") else { return nil }
    }

    init(_ parts: String...) { self.parts = parts }
}

extension JSONMembers {
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
