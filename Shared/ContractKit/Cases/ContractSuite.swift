import Foundation
import JSON

/// A contract as data: the folder with its cases.
public struct ContractSuite: Sendable {
    /// The name of the folder.
    public let name: String
    public let cases: [ContractCase]

    /// The content of contract.json; nil for a suite that does not belong to one contract.
    public let contract: JSONValue?

    /// Whether it has all cases of its folder.
    let isComplete: Bool

    /// The name of the file with the methods, which is not a case.
    static let contractFile = "contract.json"

    /// - Throws: `ContractMistake` for a folder without cases, and for a file that is not a case.
    public init(folder: String) throws {
        name = URL(filePath: folder).lastPathComponent
        isComplete = true
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ContractMistake("Cannot read folder \(folder): \(error.reason)")
        }
        cases = try files.filter { $0.hasSuffix(".json") && $0 != Self.contractFile }.sorted().map { file in
            let path = folder + "/" + file
            return try inside(path) {
                try ContractCase(String(file.dropLast(".json".count)), try Self.content(of: path))
            }
        }
        guard !cases.isEmpty else { throw ContractMistake("\(folder) has no cases (files *.json)") }
        let hasContract = files.contains(Self.contractFile)
        contract = hasContract ? try Self.contract(file: folder + "/" + Self.contractFile) : nil
    }

    /// Reads a file like `contract.json`.
    /// - Throws: `ContractMistake` for a file that is not JSON, and for a schema with a wrong reference.
    public static func contract(file: String) throws -> JSONValue {
        try inside(file) {
            let content = try content(of: file)
            let contract: JSONValue
            do {
                contract = try JSONValue(json: content)
            } catch {
                throw ContractMistake("is not JSON: \(error)")
            }
            try checkSchemas(of: contract)
            return contract
        }
    }

    private static func checkSchemas(of contract: JSONValue) throws {
        for (index, method) in (contract["methods"]?.elements ?? []).enumerated() {
            for member in ["params", "result"] {
                guard let schema = method[member] else { continue }
                try inside("\(method["name"]?.text ?? "methods[\(index)]") \(member)") {
                    try SchemaReferences.check(schema)
                }
            }
        }
    }

    /// Whether cases may change data of a running instance: the methods of the protocol do not, those of others might.
    public var mayWrite: Bool {
        let methods = cases.filter { !$0.needsFreshInstance }.flatMap(\.steps).compactMap(\.method)
        return !methods.allSatisfy { method in ["rpc.", "conformance."].contains(where: method.hasPrefix) }
    }

    /// The names of all members that the contract declares for answers; nil without contract.json.
    var declaredNames: Set<String>? {
        contract?["methods"]?.elements.map { methods in
            Set(methods.flatMap { $0["result"]?.propertyNames ?? [] })
        }
    }

    private init(_ suite: ContractSuite, cases: [ContractCase]) {
        (name, self.cases, contract, isComplete) = (suite.name, cases, suite.contract, false)
    }

    /// The suite with one of its cases.
    public func only(_ contractCase: ContractCase) -> ContractSuite {
        ContractSuite(self, cases: cases.filter { $0.name == contractCase.name })
    }

    /// The largest file of a case or a contract.
    static let maximumFileBytes = 4 << 20

    private static func content(of path: String) throws -> Data {
        var content = Data()
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            // Also a pipe, which has no size.
            while content.count <= maximumFileBytes,
                let more = try file.read(upToCount: maximumFileBytes + 1 - content.count), !more.isEmpty
            {
                content += more
            }
        } catch {
            throw ContractMistake("cannot be read: \(error.reason)")
        }
        guard content.count <= maximumFileBytes else {
            throw ContractMistake("has more than \(maximumFileBytes) bytes; split it")
        }
        return content
    }
}

extension Error {
    /// The reason for an error of Foundation, without its wording.
    var reason: String {
        let error = self as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        for candidate in [cause, error].compactMap(\.self) where candidate.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(candidate.code)))
        }
        return error.code == CocoaError.fileReadNoSuchFile.rawValue ? "no such file or directory" : "it is not readable"
    }
}

extension JSONValue {
    /// The names of the properties anywhere in a JSON Schema.
    fileprivate var propertyNames: [String] {
        switch self {
        case .object(let members): (self["properties"]?.members?.names ?? []) + members.flatMap { $1.propertyNames }
        case .array(let elements): elements.flatMap(\.propertyNames)
        default: []
        }
    }
}
