import ArgumentParser
import ContractCases
import ContractKit
import Foundation
import JSON
import RPC
import ServiceKit
import Synchronization

struct VerifyCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Play the cases of contracts against any implementation, and report the differences.",
        discussion: """
            A contract is the name of one that the gateway contains (comments, feed, feed-edge, image-data, likes, protocol and those \
            of our plugins), \
            or the path of a folder of cases. "protocol" has the cases of the protocol itself, for every service.

            Without --socket, --plugin and --start the running plugin with the name of the first contract other than "protocol" is \
            verified.

            The cases of most contracts write test data, which every reader of a running program sees. So a running program is \
            verified only with --write. --start runs a program for the cases, whose folder {root} is removed afterwards. Cases that \
            need an empty store are played with --start only.

            The exit code is 0 if steps were verified and none failed, else 1.

            Examples:
              gateway verify protocol --plugin feed
              gateway verify likes --write
              gateway verify likes --plugin my-likes --write
              gateway verify comments protocol --socket /run/mine.sock --write
              gateway verify feed --start 'feed-service --root {root}'
              gateway verify likes --start 'ROOT={root} ./likes.py'
              gateway verify ./my-contract --start './mine.py {socket}' --format junit
            """)

    @OptionGroup var rootOption: RootOption

    @Argument(
        help: ArgumentHelp("The contracts, or folders of cases.", valueName: "contract"),
        completion: .list(ContractCases.names))
    var contracts: [String]

    @Option(
        help: ArgumentHelp("Verify the instance that listens on this socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("Verify the running plugin of this name.", valueName: "name"), completion: .plugins)
    var plugin: String?

    @Option(
        help: ArgumentHelp(
            "Start an instance with this command of the shell.",
            discussion: """
                {root} stands for a directory without data, {socket} for {root}/run/CONTRACT.sock. The command must listen on \
                this or another socket in {root}/run. Each case that needs a fresh instance gets one.
                """, valueName: "command"))
    var start: String?

    @Flag(help: "Let the cases write test data into the store of a running program.") var write = false

    @Option(
        help: ArgumentHelp("How long to wait in each step.", discussion: "Default: 5.", valueName: "seconds"))
    var timeout: Double?

    @Option(help: "The format of the report: text, json, tap or junit.") var format = VerificationFormat.text

    @Flag(help: "The same as --format json.") var json = false

    @Option(help: "When to use colours: auto, always or never.") var color = ColorChoice.auto

    static let timeouts = 0.001...86_400
    private static let protocolName = "protocol"

    func validate() throws {
        let choices = [socket, plugin, start].count(where: { $0 != nil })
        let isFolder = contracts.first.map(NamedContract.isPath) ?? false
        guard choices == 1 || choices == 0 && !isFolder else {
            throw ValidationError("choose the implementation with one of --socket, --plugin and --start")
        }
        if let timeout, !Self.timeouts.contains(timeout) {
            throw ValidationError("--timeout must be from 0.001 to 86400 seconds")
        }
    }

    var output: Output { Output(terminal: .live(), color: color, asJSON: reportFormat == .json) }

    func run(_ output: Output) async throws {
        let report = try await report(of: verification(), output)
        print(report, output)
        if !report.isPassed { throw ExitCode(1) }
    }

    /// Synchronous, because the optimiser crashes when an async function has this work in it (Swift 6.3, "While splitting
    /// coroutine").
    private func verification() throws -> Verification {
        let suites = try contracts.map { try ContractSuite(folder: NamedContract.folder($0)) }
        let subject = try subject()
        if case .socket = subject, !write, let suite = suites.first(where: \.mayWrite) {
            throw ValidationError(
                "the cases of \(suite.name) write test data into the store of the running program; --write allows it, and "
                    + "--start verifies a program with a store of its own")
        }
        return Verification(
            suites, of: subject,
            timeout: timeout.map { .nanoseconds(Int64($0 * 1e9)) } ?? Verification.defaultTimeout)
    }

    private func report(of verification: Verification, _ output: Output) async throws -> VerificationReport {
        let bar = Mutex(ProgressBar(total: verification.caseCount, on: output.terminal))
        defer { output.draw(bar.withLock { $0.clear() }) }
        do {
            // Started programs have process groups of their own, so that the terminal's signals do not reach them.
            return try await Interruption.cancelling {
                let report = try await verification.run { progress in
                    output.draw(bar.withLock { $0.update(to: progress.done, label: progress.current, at: .now) })
                }
                try Task.checkCancellation()
                return report
            }
        } catch is CancellationError {
            throw CommandFailure(RPCError(.cancelled, "Stopped; nothing was reported"))
        } catch let absent as NoInstance {
            throw CommandFailure(RPCError(.unavailable, "\(absent); start it, or name another one"))
        }
    }

    private var reportFormat: VerificationFormat { json ? .json : format }

    private func print(_ report: VerificationReport, _ output: Output) {
        switch reportFormat {
        case .json: output.print(report.json)
        case .tap: output.print(report.tap)
        case .junit: output.print(report.junit)
        case .text:
            for line in VerificationText(output: output).lines(report) { output.print(line) }
        }
    }

    private func subject() throws -> Subject {
        if let start { return .command(start) }
        if let socket { return .socket(socket) }
        // No plugin is called like the contract of the protocol, which is every service's.
        guard let name = plugin ?? contracts.first(where: { $0 != Self.protocolName }) else {
            throw ValidationError("choose a plugin: gateway verify \(Self.protocolName) --plugin feed")
        }
        do throws(JSONError) {
            _ = try PluginName.checked(name)
        } catch {
            throw ValidationError("--plugin \(name): the name of a plugin \(error)")
        }
        let root = rootOption.root
        return .socket(try PluginFolder(path: root.plugins).manifest(of: name).socketPath(root: root.path))
    }
}

/// Formats the report of a verification as text.
struct VerificationText {
    let output: Output

    func lines(_ report: VerificationReport) -> [String] {
        report.lines.map { line in
            let text = Escaping.visible(line.text)
            return line.isHeading ? output.style.red(text) : text
        }
    }
}

/// The formats of a verification's report.
enum VerificationFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json, tap, junit
}
