import JSON

/// A change between two versions of a contract.
public struct ContractChange: Sendable, Equatable {
    /// Which side the change breaks.
    public enum Effect: String, Sendable {
        /// Calls that worked are refused, or behave differently.
        case breaksCallers = "breaks callers"
        /// Answers may lack a member or have a value that readers do not expect.
        case breaksReaders = "breaks readers"
        case compatible
    }

    public let effect: Effect

    /// The method, and the member of its parameters or result; empty for the whole contract.
    public let path: String

    public let description: String

    public var isBreaking: Bool { effect != .compatible }

    public var json: JSONValue {
        ["effect": .string(effect.rawValue), "path": .string(path), "change": .string(description)]
    }
}
