import Foundation
import JSON
import RPC

/// The calls and expected answers of a contract: one JSON file of steps, played against a service without data.
///
/// A step is `{"name", "call", "params"?, "result" | "items" | "error"}`. A result must match in every member, an error only in
/// the expected members (`kind`, `message`). With `items` a stream is called; it must begin with these items and is then
/// cancelled. See `ContractPattern` for the placeholders.
public struct ContractScript: Sendable, CustomStringConvertible {
    /// The name of the file.
    public let description: String
    private let steps: [Step]

    private struct Step: Sendable, Decodable {
        let name: String
        let call: String
        let params: JSONValue?
        let result: JSONValue?
        let items: [JSONValue]?
        let error: JSONValue?
    }

    /// The scripts of a directory.
    public static func all(in directory: String) throws -> [ContractScript] {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
        guard !files.isEmpty else { throw Mistake("there are no scripts in \(directory)") }
        return try files.sorted().map { try ContractScript(file: directory + "/" + $0) }
    }

    private init(file: String) throws {
        try self.init(
            (file as NSString).lastPathComponent, try Data(contentsOf: URL(filePath: file)))
    }

    init(_ name: String, _ json: Data) throws {
        description = name
        steps = try JSONDecoder().decode([Step].self, from: json)
        for step in steps where [step.result != nil, step.items != nil, step.error != nil].count(where: \.self) != 1 {
            throw Mistake("\(name), \(step.name): one of result, items and error must be expected")
        }
    }

    /// Plays all steps.
    /// - Returns: the differences from the expected answers; empty if the service fulfils the contract.
    public func play(with client: RPCClient) async throws -> [String] {
        var pattern = ContractPattern()
        var findings: [String] = []
        for step in steps {
            findings += try await Self.play(step, with: client, &pattern).map { "\(step.name): \($0)" }
        }
        return findings
    }

    private static func play(
        _ step: Step, with client: RPCClient, _ pattern: inout ContractPattern
    ) async throws -> [String] {
        let params = try pattern.filled(step.params ?? .object([:]))
        do {
            if let expected = step.items {
                let items = try await items(of: step, params, with: client, count: expected.count)
                return try pattern.mismatches(try pattern.filled(.array(expected)), .array(items), at: "items")
            }
            let result = try JSONValue(
                json: try await client.call(step.call, try RawJSON(checking: params.json)).description)
            guard let expected = step.result else {
                return ["did not fail but answered \(try result.json.prefix(500))"]
            }
            return try pattern.mismatches(try pattern.filled(expected), result, at: "result")
        } catch let error as RPCError {
            guard let expected = step.error else { return ["failed: \(error)"] }
            let actual = JSONValue.object(["kind": .string(error.kind.rawValue), "message": .string(error.message)])
            return try pattern.mismatches(try pattern.filled(expected), actual, at: "error", partially: true)
        }
    }

    /// The first items of a stream; fewer if it ends earlier.
    private static func items(
        of step: Step, _ params: JSONValue, with client: RPCClient, count: Int
    ) async throws -> [JSONValue] {
        let params = Payload(try RawJSON(checking: params.json))
        // With the timeout of a call, so that a stream with a missing item fails.
        return try await client.withStream(step.call, params, CallOptions()) { stream in
            var (stream, items) = (stream, [JSONValue]())
            while items.count < count, let item = try await stream.next() {
                items.append(try JSONValue(json: item.json.description))
            }
            return items
        }
    }

    /// An error in the script itself.
    struct Mistake: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
