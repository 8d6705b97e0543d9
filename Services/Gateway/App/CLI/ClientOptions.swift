import ArgumentParser
import Foundation
import Presentation
import RPC
import ServiceKit

/// The options of every command that calls a running gateway.
struct ClientOptions: ParsableArguments {
    @OptionGroup var rootOption: RootOption

    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp("The gateway's socket.", discussion: "Default: ROOT/run/gateway.sock", valueName: "path"),
        completion: .file())
    var socketPath: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for an answer.",
            discussion: "Default: 30. A stream ends then, without an error; by default it has no timeout.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(
        help: ArgumentHelp(
            "Print results and errors as JSON.",
            discussion: "One document per line; on a terminal the documents are indented."))
    var json = false

    @Flag(name: .shortAndLong, help: "Report each call to standard error: its time, its origin and the trace id.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "The language of texts and dates: en, pt-BR, el or es.",
            discussion: "Default: LC_ALL, LC_MESSAGES or LANG.",
            valueName: "tag"),
        completion: .list(Language.allCases.map(\.rawValue)))
    var locale: String?

    @Option(help: "When to use colours: auto, always or never.")
    var color = ColorChoice.auto

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show a result that is longer than the screen in a pager.", discussion: "The pager is $PAGER, or less."))
    var pager = true

    static let timeouts = 0.001...86_400
    static let defaultTimeout = 30.0

    func validate() throws {
        guard Self.timeouts.contains(timeout ?? Self.defaultTimeout) else {
            throw ValidationError("--timeout must be from 0.001 to 86400 seconds")
        }
    }

    /// Whether the user's timeout has ended a stream. That is no error: it is how long the user wanted to read.
    func isEnd(ofStream error: RPCError) -> Bool { timeout != nil && error.begun && error.kind == .deadlineExceeded }

    var socket: String { socketPath ?? rootOption.root.socket("gateway") }

    /// The absolute path of the deployment's directory; nil when --socket selects a socket elsewhere.
    var deployment: String? {
        let place = "/run/gateway.sock"
        let path = URL(fileURLWithPath: socket).path
        return path.hasSuffix(place) ? String(path.dropLast(place.count)) : nil
    }

    var place: GatewayPlace {
        guard let deployment else { return .socket(socket) }
        guard FileManager.default.fileExists(atPath: deployment) else { return .missing(deployment) }
        return .stopped(deployment, option: rootOption.path.map { " --root \($0.shellWord)" } ?? "")
    }

    /// The options that select the same gateway, for a suggested command.
    var route: String {
        let options = [("--root", rootOption.path), ("--socket", socketPath)]
        return options.map { name, value in value.map { " \(name) \($0.shellWord)" } ?? "" }.joined()
    }

    /// The user's language preference, which the gateway negotiates.
    func preferredLocale(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        let names = [locale] + ["LC_ALL", "LC_MESSAGES", "LANG"].map { environment[$0] }
        return names.lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}

extension ColorChoice: ExpressibleByArgument {}
