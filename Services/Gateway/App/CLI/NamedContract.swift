import ArgumentParser
import ContractCases
import ContractKit
import Foundation

/// A contract as an argument names it: one that the gateway contains, or a path.
enum NamedContract {
    /// The folder with its cases.
    /// - Parameter name: a name, or a path with a slash.
    static func folder(_ name: String) throws(ValidationError) -> String {
        if isPath(name) { return name }
        guard let folder = ContractCases.folder(name) else {
            throw ValidationError(
                "unknown contract \(name). Known: \(ContractCases.names.joined(separator: ", ")). For a path give one with "
                    + "a slash: ./\(name)")
        }
        return folder
    }

    /// Whether an argument is the path of a folder.
    static func isPath(_ name: String) -> Bool { name.contains("/") || name == "." }

    /// Its `contract.json`.
    /// - Parameter name: a name, or the path of such a file.
    static func file(_ name: String) throws(ValidationError) -> String {
        if name.contains("/") || name.hasSuffix(".json") { return name }
        guard described.contains(name) else {
            let reason =
                ContractCases.folder(name) == nil
                ? "unknown contract \(name)" : "\(name) has cases, but no contract.json"
            throw ValidationError(
                "\(reason). Known: \(described.joined(separator: ", ")). For a path give one with a slash: ./\(name)")
        }
        return file(in: try folder(name))
    }

    /// The names of the contracts with a `contract.json`.
    static var described: [String] {
        ContractCases.names.filter { name in
            ContractCases.folder(name).map { FileManager.default.fileExists(atPath: file(in: $0)) } == true
        }
    }

    private static func file(in folder: String) -> String { folder + "/contract.json" }
}
