import ArgumentParser
import ContractCases
import ContractKit

/// A contract as an argument names it: one that the gateway contains, or a path.
enum NamedContract {
    /// The folder with its cases.
    /// - Parameter name: a name, or a path with a slash.
    static func folder(_ name: String) throws(ValidationError) -> String {
        if name.contains("/") || name == "." { return name }
        guard let folder = ContractCases.folder(name) else {
            throw ValidationError(
                "unknown contract \(name). Known: \(ContractCases.names.joined(separator: ", ")). For a path give one with "
                    + "a slash: ./\(name)")
        }
        return folder
    }

    /// Its `contract.json`.
    /// - Parameter name: a name, or the path of such a file.
    static func file(_ name: String) throws(ValidationError) -> String {
        name.contains("/") || name.hasSuffix(".json") ? name : try folder(name) + "/contract.json"
    }
}
