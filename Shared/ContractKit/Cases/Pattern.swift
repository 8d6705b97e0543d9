import Foundation
import JSON

/// Compares values with the expectations of a case, and captures parts of them for later steps.
/// Tests/Contracts/README.md lists the placeholders.
struct Pattern {
    /// The captured values by name, for `${name}`.
    private(set) var captured: [String: JSONValue] = [:]

    /// The names of the members that the contract declares for answers; nil if unknown. A later version may answer more
    /// members, so a member is unexpected only if it is declared.
    var declared: Set<String>?

    // MARK: Filling in

    /// The value with `$new`, `${name}`, `$repeat` and `$lower` replaced.
    func filled(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string("$new"): return .string(UUID.random().uuidString)
        case .string(let text): return try filled(text)
        case .array(let elements): return .array(try elements.map(filled))
        case .object(let members):
            if let repetition = members["$repeat"] {
                guard members.names.count == 1 else { throw ContractMistake("$repeat must be the only member") }
                return try repeated(repetition)
            }
            if let original = members["$lower"] {
                guard members.names.count == 1 else { throw ContractMistake("$lower must be the only member") }
                guard let text = try filled(original).text else { throw ContractMistake("$lower takes a text") }
                return .string(text.lowercased())
            }
            return .object(JSONMembers(try members.map { (try named($0), try filled($1)) }))
        default: return value
        }
    }

    mutating func capture(_ value: JSONValue, as name: String) { captured[name] = value }

    private func named(_ name: String) throws -> String {
        guard let text = try filled(name).text else { throw ContractMistake("\(name) is not a text") }
        return text
    }

    /// A text that is one placeholder becomes its value, of any type. Placeholders inside a longer text become text.
    private func filled(_ text: String) throws -> JSONValue {
        guard text.contains("${") else { return .string(text) }
        if let name = text.wholeMatch(of: /\$\{(\w+)\}/)?.1 { return try value(of: String(name)) }
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: /\$\{(\w+)\}/) {
            let value = try value(of: String(match.1))
            result += rest[..<match.range.lowerBound] + (value.text ?? value.json)
            rest = rest[match.range.upperBound...]
        }
        return .string(result + rest)
    }

    private func value(of name: String) throws -> JSONValue {
        guard let value = captured[name] else { throw NotCaptured(name: name) }
        return value
    }

    /// A step uses a value that an earlier step should have captured.
    struct NotCaptured: Error {
        let name: String
    }

    static let longestRepetition = 10_000_000

    private func repeated(_ repetition: JSONValue) throws -> JSONValue {
        guard let parts = repetition.elements, parts.count == 2, let count = parts[1].integer,
            (0...Self.longestRepetition).contains(count)
        else {
            throw ContractMistake("$repeat takes a value and a number from 0 to \(Self.longestRepetition)")
        }
        if case .string(let text) = parts[0], text != "$new" { return .string(String(repeating: text, count: count)) }
        return .array(try (0..<count).map { _ in try filled(parts[0]) })
    }

    // MARK: Comparing

    /// The differences between `actual` and the expected value, which is filled in; empty if they match.
    mutating func differences(
        _ expected: JSONValue, _ actual: JSONValue, at path: String
    ) throws -> [Difference] {
        switch (expected, actual) {
        case (.string(let type), _) where Self.types[type] != nil:
            return Self.types[type]?(actual) == true
                ? [] : [Difference(path, "must be \(type.dropFirst()), is \(actual.excerpt)")]
        case (.object(let members), _) where members.names.contains { Self.operators.contains($0) }:
            return try differences(operation: members, actual, at: path)
        case (.array(let expected), .array(let actual)) where expected.count == actual.count:
            return try expected.indices.flatMap { index in
                try differences(expected[index], actual[index], at: "\(path)[\(index)]")
            }
        case (.array(let expected), .array(let actual)):
            return [
                Difference(path, "must have \(expected.count) elements, has \(actual.count): \(self.excerpt(actual))")
            ]
        case (.object(let expected), .object(let actual)): return try differences(expected, actual, at: path)
        default:
            if expected == actual { return [] }
            return [Difference(path, "must be \(expected.excerpt), is \(actual.excerpt)")]
        }
    }

    private func excerpt(_ elements: [JSONValue]) -> String { JSONValue.array(elements).excerpt }

    private mutating func differences(
        _ expected: JSONMembers, _ actual: JSONMembers, at path: String
    ) throws -> [Difference] {
        var result: [Difference] = []
        for (name, wanted) in expected {
            let place = "\(path).\(name)"
            if wanted == "$absent" {
                if let value = actual[name] { result.append(Difference(place, "must be absent, is \(value.excerpt)")) }
            } else if let value = actual[name] {
                result += try differences(wanted, value, at: place)
            } else {
                result.append(Difference(place, "is missing"))
            }
        }
        for (name, value) in actual where expected[name] == nil && declared?.contains(name) != false {
            result.append(Difference("\(path).\(name)", "is not expected, is \(value.excerpt)"))
        }
        return result
    }

    static let operators: Set = ["$capture", "$contains", "$unordered", "$between", "$partial", "$one"]

    private mutating func differences(
        operation: JSONMembers, _ actual: JSONValue, at path: String
    ) throws -> [Difference] {
        let isCapture = operation["$capture"] != nil
        guard operation.names.count(where: { !isCapture || $0 != "of" }) == 1 else {
            throw ContractMistake("\(JSONValue.object(operation).excerpt) has more members than its pattern")
        }
        if let name = operation["$capture"]?.text {
            captured[name] = actual
            return try differences(operation["of"] ?? "$any", actual, at: path)
        }
        if let part = operation["$contains"]?.text {
            return actual.text?.contains(part) == true
                ? [] : [Difference(path, "must contain \(JSONValue.string(part).json), is \(actual.excerpt)")]
        }
        if let elements = operation["$unordered"]?.elements { return try unordered(elements, actual, at: path) }
        if let range = operation["$between"]?.elements, range.count == 2, let low = range[0].number,
            let high = range[1].number
        {
            return actual.number.map { low <= $0 && $0 <= high } == true
                ? [] : [Difference(path, "must be from \(range[0].json) to \(range[1].json), is \(actual.excerpt)")]
        }
        if let members = operation["$partial"]?.members {
            let declared = self.declared
            defer { self.declared = declared }
            // No further member counts as declared.
            self.declared = []
            return try differences(.object(members), actual, at: path)
        }
        if let choices = operation["$one"]?.elements {
            for choice in choices {
                // The captures of a choice that does not match must not remain.
                var attempt = self
                guard try attempt.differences(choice, actual, at: path).isEmpty else { continue }
                self = attempt
                return []
            }
            return [Difference(path, "must be one of \(JSONValue.array(choices).excerpt), is \(actual.excerpt)")]
        }
        throw ContractMistake("\(JSONValue.object(operation).json) is not a pattern")
    }

    /// Each expected element takes the first actual one that matches and is not taken.
    private mutating func unordered(
        _ expected: [JSONValue], _ actual: JSONValue, at path: String
    ) throws -> [Difference] {
        guard var rest = actual.elements else {
            return [Difference(path, "must be an array, is \(actual.excerpt)")]
        }
        var result: [Difference] = []
        for pattern in expected {
            let index = try rest.firstIndex { element in
                var attempt = self
                return try attempt.differences(pattern, element, at: path).isEmpty
            }
            if let index {
                _ = try differences(pattern, rest.remove(at: index), at: path)
            } else {
                result.append(Difference(path, "has no element \(pattern.excerpt)"))
            }
        }
        return result + rest.map { Difference(path, "has an element that is not expected: \($0.excerpt)") }
    }

    /// Any value of a type.
    static let types: [String: @Sendable (JSONValue) -> Bool] = [
        "$any": { _ in true },
        "$string": { $0.text != nil },
        "$integer": { $0.integer != nil },
        "$number": { $0.number != nil },
        "$boolean": { $0.boolean != nil },
        "$array": { $0.elements != nil },
        "$object": { $0.members != nil },
        "$uuid": { value in value.text.map { UUID(uuidString: $0)?.uuidString == $0 } ?? false },
        "$date": { value in value.text?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil },
    ]
}

/// Where an answer differs from what is expected, and how.
public struct Difference: Sendable, Equatable, CustomStringConvertible {
    public let path: String
    public let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    public var description: String { "\(path) \(reason)" }
}
