import JSON

/// Writes a typed client of a contract, as one file without dependencies.
public enum ClientWriter {
    public enum Language: String, Sendable, CaseIterable {
        case python, typescript
    }

    /// - Parameters:
    ///   - contract: the content of `contract.json`.
    ///   - name: what the command line called the contract: a name or a path of plain characters. Nil for the contract's own name.
    /// - Throws: `ContractMistake` when it is not a contract.
    public static func text(
        of contract: JSONValue, named name: String? = nil, in language: Language
    ) throws -> String {
        let contract = try DeclaredContract(contract)
        let name = name ?? contract.name
        return switch language {
        case .python: PythonClient(contract, named: name).text
        case .typescript: TypeScriptClient(contract, named: name).text
        }
    }
}
