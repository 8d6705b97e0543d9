import JSON

/// Writes a typed client of a contract, as one file without dependencies.
public enum ClientWriter {
    public enum Language: String, Sendable, CaseIterable {
        case python, typescript
    }

    /// - Parameter contract: the content of `contract.json`.
    /// - Throws: `ContractMistake` when it is not a contract.
    public static func text(of contract: JSONValue, in language: Language) throws -> String {
        let contract = try DeclaredContract(contract)
        return switch language {
        case .python: PythonClient(contract).text
        case .typescript: TypeScriptClient(contract).text
        }
    }
}
