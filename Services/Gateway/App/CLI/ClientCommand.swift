import ArgumentParser
import Foundation
import JSON
import Presentation
import RPC

/// A command that calls a running gateway. It connects, runs, and exits with the code of its error.
protocol ClientCommand: AsyncParsableCommand {
    var client: ClientOptions { get }

    func run(_ session: Session) async throws
}

extension ClientCommand {
    mutating func run() async throws {
        let command = self
        let output = Output(terminal: .live(), color: client.color)
        let trace = TraceContext.random()
        noteUnknownLocale(output)
        do {
            let path = try SocketPath(client.socket)
            // A user who may use another user's gateway has selected it with --root or --socket.
            try await RPCClient.withConnection(
                to: path, as: "gateway-cli", peers: .owner(ofDirectoryOf: path)
            ) { connection in
                try await command.run(Session(connection, command.client, output, trace))
            }
        } catch let error as RPCError {
            output.report(error, language: Language(client.preferredLocale()), socket: client.socket, trace: trace)
            throw ExitCode(error.kind.exitCode)
        } catch let error as JSONError {
            let error = RPCError(.invalidData, "the answer violates its contract: \(error)")
            output.report(error, language: Language(client.preferredLocale()), socket: client.socket, trace: trace)
            throw ExitCode(error.kind.exitCode)
        } catch let error as SocketError {
            output.complain("\(error)")
            throw ExitCode(ErrorKind.invalidParams.exitCode)
        } catch let error as ValidationError {
            // The library would print the usage of `gateway`, because only the command knows its name.
            output.say("Error: \(error.message)\nUsage: \(GatewayCommand.usageString(for: Self.self))")
            output.say("  See 'gateway \(Self.configuration.commandName ?? "") --help' for more information.")
            throw ExitCode(ErrorKind.invalidParams.exitCode)
        }
    }

    /// Says that texts are in English when --locale names another language. An unknown language of the environment is
    /// not reported, because it was not chosen for this command.
    private func noteUnknownLocale(_ output: Output) {
        guard let locale = client.locale, !locale.isEmpty, Language(nearestTo: locale) == nil else { return }
        let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
        output.complain("unknown --locale \(locale); texts are in English. Available: \(known)")
    }
}

/// The connection of a command, with its options.
struct Session: Sendable {
    let output: Output
    let asJSON: Bool

    /// The user's language preference, which the gateway negotiates.
    let locale: String?

    private let client: RPCClient
    private let timeout: Double
    private let trace: TraceContext

    /// Streams end with the command's timeout, if it is set.
    private let streamOptions: CallOptions

    /// - Parameter trace: the trace context of all calls of the command.
    init(_ client: RPCClient, _ options: ClientOptions, _ output: Output, _ trace: TraceContext) {
        self.client = client
        self.output = output
        asJSON = options.json
        locale = options.preferredLocale()
        timeout = options.timeout ?? ClientOptions.defaultTimeout
        self.trace = trace
        streamOptions =
            options.timeout.map { CallOptions(timeout: .nanoseconds(Int64($0 * 1e9)), trace: trace) }
            ?? .endless(trace: trace)
    }

    var language: Language { Language(locale) }

    /// - Parameter timeout: in seconds; nil for the timeout of the command line.
    func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, timeout: Double? = nil
    ) async throws(RPCError) -> Answer {
        try await client.call(method, params, options(timeout))
    }

    func call(_ method: String, _ params: RawJSON) async throws(RPCError) -> RawJSON {
        try await client.call(method, params, options(nil))
    }

    /// Passes the items of a stream to `take`, until the stream ends.
    func items(
        of method: String, _ params: RawJSON, _ take: (RawJSON) throws -> Void
    ) async throws {
        try await client.withStream(method, Payload(params), streamOptions) { items in
            for try await item in items { try take(item.json) }
        }
    }

    /// Whether the timeout of streams has not expired yet.
    var hasTimeForStreams: Bool { streamOptions.deadline > .now() }

    /// Calls a method and prints its answer: as JSON with --json, otherwise as `text`.
    func show<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ text: (Answer) -> String
    ) async throws -> Answer {
        let result = try await call(method.name, RawJSON(params, as: method.params))
        let answer = try result.read(as: method.answer)
        output.print(asJSON ? "\(result)" : text(answer))
        return answer
    }

    private func options(_ timeout: Double?) -> CallOptions {
        CallOptions(timeout: .nanoseconds(Int64((timeout ?? self.timeout) * 1e9)), trace: trace)
    }
}
