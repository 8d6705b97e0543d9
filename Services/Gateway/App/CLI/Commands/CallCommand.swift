import ArgumentParser
import Foundation
import JSON
import RPC

struct CallCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any method of any service, and print its result or the items of its stream.",
        discussion: """
            Parameters are key=value pairs, one JSON object, @FILE with one, or - for one on standard input. A value has \
            the type of the method's schema: limit=3 is a number if the schema has a number, name=3 a text if it has a text. \
            key:=JSON is always JSON, key=@FILE the content of a file (for bytes too, key=@- is standard input). Keys \
            may be nested: author.name=ana, items[0].id=…; a repeated key of a list adds to it.

            Prints the items of a stream as they arrive, one document per line, or with --collect one list at its end or after \
            --timeout. With --stream, a method that supports both answers with a stream.

            Examples:
              gateway call feed.load limit=3
              gateway call feed.get '{"id":"7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"}'
              echo '{"limit":1}' | gateway call feed.load -
              gateway call image-data.put data=@picture.jpg
              gateway call feed.watch since= --timeout 10 --collect
            """)

    static let isPaged = true

    @OptionGroup var client: ClientOptions

    @Flag(help: "Call the method as a stream.") var stream = false
    @Flag(help: "Print the items of a stream as one list, at its end or after --timeout.") var collect = false

    @Argument(help: ArgumentHelp("The method.", valueName: "service.method"), completion: .methods) var method: String
    @Argument(
        help: ArgumentHelp("Its parameters.", valueName: "key=value … | json | @file | -"), completion: .parameters)
    var params: [String] = []

    func run(_ session: Session) async throws {
        let parameters = try CallParameters.parse(params)
        let schema = parameters.needsSchema ? await description(session)?.params : nil
        let params = try parameters.json(schema.map { ParameterSchema($0) })
        do {
            guard !stream, !collect else { return try await printItems(params, session) }
            do {
                session.output.print(try await session.call(method, params))
            } catch {
                guard await isStream(refused: error, session) else { throw error }
                try await printItems(params, session)
            }
        } catch let error as RPCError {
            throw CommandFailure(error, hints: await hints(for: error, params, session))
        }
    }

    private func printItems(_ params: RawJSON, _ session: Session) async throws {
        // Items appear as they arrive.
        session.output.finish()
        var items: [RawJSON] = []
        do {
            try await session.items(of: method, params) { item in
                if collect {
                    items.append(item)
                } else {
                    session.output.print(line: item)
                }
            }
        } catch let error as RPCError {
            guard client.isEnd(ofStream: error) else { throw error }
        }
        if collect { session.output.print(RawJSON(items, as: .array(of: .any))) }
    }

    /// Whether the method answers with a stream and has rejected the single call. In that case it did not run, so
    /// calling it again repeats nothing.
    private func isStream(refused error: RPCError, _ session: Session) async -> Bool {
        guard error.kind == .invalidParams, !error.begun else { return false }
        return await description(session)?.streams == true
    }

    /// Nil when the service does not describe the method; the call itself then shows what is wrong.
    private func description(_ session: Session) async -> MethodDescription? {
        await methods(of: String(method.prefix { $0 != "." }), session).first { $0.name == method }
    }

    private func hints(for error: RPCError, _ params: RawJSON, _ session: Session) async -> [String] {
        switch error.kind {
        case .methodNotFound: MethodHints(methods: await methods(of: nil, session)).missing(method)
        case .invalidParams:
            MethodHints(methods: [await description(session)].compactMap(\.self))
                .wrongParameter(error.message, of: method, in: (try? JSONValue(params)) ?? [:]) + streamHint(for: error)
        default: []
        }
    }

    /// The option for what the protocol calls `meta.stream`.
    private func streamHint(for error: RPCError) -> [String] {
        error.message.contains("meta.stream") ? ["Here this is --stream."] : []
    }

    /// - Parameter service: nil for all services.
    private func methods(of service: String?, _ session: Session) async -> [MethodDescription] {
        do throws(RPCError) {
            let selection = ServiceSelection(service: service)
            return try await session.call(ProtocolMethods.describe, selection).contracts.flatMap(\.methods)
        } catch {
            // The service is down or has no `rpc.describe`. The call works without a description.
            return []
        }
    }
}
