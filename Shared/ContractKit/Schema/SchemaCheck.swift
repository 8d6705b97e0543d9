import Foundation
import JSON

/// Checks values against JSON Schema 2020-12: the keywords that our codecs write, and those of `case.schema.json`.
public struct SchemaCheck: Sendable {
    private let root: JSONValue
    private let maximumSteps: Int

    /// - Parameter schema: its references have been checked with `SchemaReferences`.
    public init(_ schema: JSONValue) { self.init(schema, maximumSteps: Self.maximumSteps) }

    /// - Parameter maximumSteps: the most keywords that are compared with a value and its parts.
    init(_ schema: JSONValue, maximumSteps: Int) { (root, self.maximumSteps) = (schema, maximumSteps) }

    /// Alternatives that refer to each other can take exponential time, although each reference leads to a part of the value. A page
    /// of 100 items with 10 members takes 5,000 steps; the maximum takes less than a second, also without optimisation.
    static let maximumSteps = 100_000

    /// How much of an expression is matched in one step: so many instructions take the time of a keyword.
    static let visitsPerStep = 50

    /// Where a value does not match the schema; empty if it does.
    public func differences(_ value: JSONValue, at path: String = "value") -> [Difference] {
        var steps = maximumSteps
        let differences = check(value, root, path, depth: 0, &steps)
        guard steps >= 0 else {
            return [
                Difference(
                    path, "cannot be compared with its schema in \(maximumSteps) steps: shorten it, or the alternatives"
                )
            ]
        }
        return differences
    }

    /// Bounds the recursion of a schema that refers to itself.
    private static let maximumDepth = 100

    /// - Parameter steps: those that are left; negative when there were too few.
    private func check(
        _ value: JSONValue, _ schema: JSONValue, _ path: String, depth: Int, _ steps: inout Int
    ) -> [Difference] {
        guard depth < Self.maximumDepth else { return [Difference(path, "is nested too deeply for its schema")] }
        guard let keywords = schema.members else {
            return schema == false ? [Difference(path, "is not allowed")] : []
        }
        var result: [Difference] = []
        for (name, argument) in keywords {
            steps -= 1
            guard steps >= 0 else { return [] }
            result += check(value, keyword: name, argument, keywords, path, depth: depth + 1, &steps)
        }
        return result
    }

    private func check(
        _ value: JSONValue, keyword: String, _ argument: JSONValue, _ schema: JSONMembers, _ path: String, depth: Int,
        _ steps: inout Int
    ) -> [Difference] {
        func unless(_ isMet: Bool?, _ reason: String) -> [Difference] {
            isMet == false ? [Difference(path, "must \(reason), is \(value.excerpt)")] : []
        }
        func matching(_ choices: JSONValue) -> Int {
            (choices.elements ?? []).count { check(value, $0, path, depth: depth, &steps).isEmpty }
        }
        switch keyword {
        case "$ref": return check(value, target(of: argument), path, depth: depth, &steps)
        case "type": return unless(value.hasType(argument), "be \(argument.typeText)")
        case "enum": return unless(argument.elements?.contains(value), "be one of \(argument.excerpt)")
        case "const": return unless(value == argument, "be \(argument.excerpt)")
        case "minimum": return unless(both(value, argument, >=), "be at least \(argument.json)")
        case "maximum": return unless(both(value, argument, <=), "be at most \(argument.json)")
        case "minLength":
            return unless(
                value.text.map { $0.unicodeScalars.count >= argument.integer ?? 0 },
                "have at least \(argument.json) characters")
        case "maxLength":
            return unless(
                value.text.map { $0.unicodeScalars.count <= argument.integer ?? .max },
                "have at most \(argument.json) characters")
        case "minItems":
            return unless(
                value.elements.map { $0.count >= argument.integer ?? 0 }, "have at least \(argument.json) elements")
        case "maxItems":
            return unless(
                value.elements.map { $0.count <= argument.integer ?? .max }, "have at most \(argument.json) elements")
        case "pattern":
            guard let text = value.text, let pattern = argument.text else { return [] }
            do throws(Expression.Refusal) {
                return unless(matches(text, try Expression(pattern), &steps), "match \(argument.excerpt)")
            } catch {
                return [Difference(path, "cannot be compared with the pattern \(argument.excerpt): \(error.reason)")]
            }
        case "format" where argument == "uuid":
            return unless(value.text.map { UUID(uuidString: $0) != nil }, "be a UUID")
        case "anyOf":
            return unless(matching(argument) > 0, "match one of \(argument.elements?.count ?? 0) alternatives")
        case "oneOf":
            return unless(matching(argument) == 1, "match exactly one of \(argument.elements?.count ?? 0) alternatives")
        case "allOf": return (argument.elements ?? []).flatMap { check(value, $0, path, depth: depth, &steps) }
        case "not":
            return unless(!check(value, argument, path, depth: depth, &steps).isEmpty, "not match \(argument.excerpt)")
        case "items":
            return (value.elements ?? []).enumerated().flatMap { index, element in
                check(element, argument, "\(path)[\(index)]", depth: depth, &steps)
            }
        case "required":
            guard let members = value.members else { return [] }
            return (argument.elements ?? []).compactMap(\.text).filter { members[$0] == nil }
                .map { Difference("\(path).\($0)", "is missing") }
        case "properties":
            return (argument.members ?? JSONMembers()).flatMap { name, schema in
                value[name].map { check($0, schema, "\(path).\(name)", depth: depth, &steps) } ?? []
            }
        case "additionalProperties":
            return (value.members ?? JSONMembers()).filter { name, _ in schema["properties"]?[name] == nil }
                .flatMap { name, value in
                    argument == false
                        ? [Difference("\(path).\(name)", "is not a known member")]
                        : check(value, argument, "\(path).\(name)", depth: depth, &steps)
                }
        default: return []
        }
    }

    private func both(_ value: JSONValue, _ argument: JSONValue, _ compare: (JSONNumber, JSONNumber) -> Bool) -> Bool? {
        guard let value = value.number, let argument = argument.number else { return nil }
        return compare(value, argument)
    }

    private func matches(_ text: String, _ expression: Expression, _ steps: inout Int) -> Bool {
        var visits = steps * Self.visitsPerStep
        defer { steps = visits < 0 ? -1 : visits / Self.visitsPerStep }
        return expression.matches(in: text, visits: &visits)
    }

    private func target(of reference: JSONValue) -> JSONValue {
        SchemaPointer(reference: reference.text ?? "")?.target(in: root) ?? false
    }
}

extension JSONValue {
    fileprivate func hasType(_ type: JSONValue) -> Bool {
        if let types = type.elements { return types.contains { hasType($0) } }
        return switch type.text {
        case "null": self == .null
        case "boolean": boolean != nil
        case "integer": integer != nil
        case "number": number != nil
        case "string": text != nil
        case "array": elements != nil
        case "object": members != nil
        default: false
        }
    }

    fileprivate var typeText: String {
        (elements ?? [self]).compactMap(\.text).joined(separator: " or ")
    }
}
