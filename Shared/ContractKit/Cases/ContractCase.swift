import Foundation
import JSON

/// A case of a contract: one JSON file of steps that belong together. Tests/Contracts/README.md describes the format.
public struct ContractCase: Sendable, CustomStringConvertible {
    /// The name of the file, without its extension.
    public let name: String

    /// What the case is about.
    public let about: String

    /// Whether it needs an instance without data, which no other case has used.
    public let needsFreshInstance: Bool

    /// Values of the case's own by name, in this order.
    let values: JSONMembers

    /// Optional features that the implementation must have. Otherwise the case is skipped.
    let features: [String]

    /// Methods that the implementation must describe. Otherwise the case is skipped.
    let methods: [String]

    public let steps: [ContractStep]

    public var description: String { name }

    /// The features that a case may require.
    private static let knownFeatures = CallConnection.features.union(["hello", "describe"])

    init(_ name: String, _ json: some Collection<UInt8>) throws {
        let value: JSONValue
        do {
            value = try JSONValue(json: json)
        } catch {
            throw ContractMistake("is not JSON: \(error)")
        }
        self.name = name
        var members = try CaseMembers(value, of: "a case")
        // For editors.
        _ = try members.text("$schema")
        guard let about = try members.text("about") else { throw ContractMistake("about is missing") }
        self.about = about
        needsFreshInstance = try members.flag("fresh")
        let values = try members.object("let") ?? JSONMembers()
        self.values = values
        var placeholders = CasePlaceholders()
        try inside("let") { try placeholders.define(values) }
        (features, methods) = try Self.requirements(members.value("requires") ?? [:])
        guard let steps = try members.list("steps"), !steps.isEmpty else { throw ContractMistake("has no steps") }
        self.steps = try steps.map { json in
            let step = try ContractStep(json)
            try inside(step.name) { try placeholders.check(json) }
            return step
        }
        try members.finish()
    }

    private static func requirements(_ json: JSONValue) throws -> (features: [String], methods: [String]) {
        var members = try CaseMembers(json, of: "requires")
        let (features, methods) = (try members.texts("features") ?? [], try members.texts("methods") ?? [])
        if let unknown = features.first(where: { !knownFeatures.contains($0) }) {
            throw ContractMistake(
                "unknown feature \(unknown). Known: \(knownFeatures.sorted().joined(separator: ", "))")
        }
        try members.finish()
        return (features, methods)
    }
}
