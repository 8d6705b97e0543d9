import Foundation

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

    private static let known: Set = ["$schema", "about", "fresh", "let", "requires", "steps"]

    init(_ name: String, _ json: some Collection<UInt8>) throws {
        let value: JSONValue
        do {
            value = try JSONValue(json: json)
        } catch {
            throw ContractMistake("is not JSON: \(error)")
        }
        guard let members = value.members, let steps = members["steps"]?.elements else {
            throw ContractMistake("a case is an object with steps")
        }
        if let unknown = members.names.first(where: { !Self.known.contains($0) }) {
            throw ContractMistake("\(unknown) is not a member of a case")
        }
        self.name = name
        about = members["about"]?.text ?? name
        needsFreshInstance = members["fresh"] == true
        values = members["let"]?.members ?? JSONMembers()
        features = members["requires"]?["features"]?.elements?.compactMap(\.text) ?? []
        methods = members["requires"]?["methods"]?.elements?.compactMap(\.text) ?? []
        self.steps = try steps.map(ContractStep.init)
        guard !steps.isEmpty else { throw ContractMistake("has no steps") }
    }
}
