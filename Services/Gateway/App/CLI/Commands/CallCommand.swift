import ArgumentParser
import Foundation
import JSON
import RPC

struct CallCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any method of any service, and print its result or the items of its stream.",
        discussion: """
            Parameters are one JSON object, or key=value pairs, or - to read JSON from \
            standard input. A value that is valid JSON is sent as JSON (limit=3, \
            ids=["…"]), any other as a string; name='"3"' is the string 3.

            Examples:
              gateway call feed.load limit=3
              gateway call feed.get '{"id":"7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"}'
              echo '{"limit":1}' | gateway call feed.load -
              gateway call feed.watch since=          a stream: one document per line
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("The method.", valueName: "service.method")) var method: String
    @Argument(help: ArgumentHelp("Its parameters.", valueName: "json | key=value … | -")) var params: [String] = []

    func run(_ session: Session) async throws {
        let params = try CallParameters.parse(params)
        let isForPeople = session.output.terminal.isTerminal(.output) && !session.asJSON
        do {
            let result = try await session.call(method, params)
            session.output.print(isForPeople ? PrettyJSON.text(result) : "\(result)")
        } catch {
            guard try await isStream(refused: error, session) else { throw error }
            try await session.items(of: method, params) { item in
                session.output.print(isForPeople ? Escaping.visible("\(item)") : "\(item)")
            }
        }
    }

    /// Whether the method answers with a stream and has rejected the single call. In that case it did not run, so
    /// calling it again repeats nothing.
    private func isStream(refused error: RPCError, _ session: Session) async throws(RPCError) -> Bool {
        guard error.kind == .invalidParams, !error.begun else { return false }
        let selection = ServiceSelection(service: String(method.prefix { $0 != "." }))
        do throws(RPCError) {
            let description = try await session.call(ProtocolMethods.describe, selection)
            return description.contracts.flatMap(\.methods).contains { $0.name == method && $0.streams }
        } catch {
            // A service without `rpc.describe`: report its rejection.
            return false
        }
    }
}

/// Parses the parameters of a call from the command line.
enum CallParameters {
    /// - Throws: `ValidationError` with the invalid argument and the reason.
    static func parse(
        _ arguments: [String], standardInput: () -> String = { readAll() }
    ) throws -> RawJSON {
        switch arguments.first {
        case nil: return .emptyObject
        case "-" where arguments.count == 1: return try object(standardInput(), "standard input")
        case let text? where arguments.count == 1 && text.drop(while: \.isWhitespace).first == "{":
            return try object(text, "the argument")
        default: return try object(of: arguments)
        }
    }

    private static func object(_ text: String, _ source: String) throws -> RawJSON {
        do {
            return try RawJSON(checking: text)
        } catch {
            throw ValidationError("\(source) is not JSON: \(error)")
        }
    }

    private static func object(of arguments: [String]) throws -> RawJSON {
        var members: [String: RawJSON] = [:]
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("\"\(Escaping.visible(argument))\" is neither a JSON object nor key=value")
            }
            let text = String(parts[1])
            // A value that is not JSON is a string, not an error.
            let value = (try? RawJSON(checking: text)) ?? RawJSON(text, as: .string)
            guard members.updateValue(value, forKey: String(parts[0])) == nil else {
                throw ValidationError("\(Escaping.visible(String(parts[0]))) is given more than once")
            }
        }
        return RawJSON(members, as: .dictionary(of: .any))
    }

    private static func readAll() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }
}
