import ArgumentParser
import Foundation
import Glibc

/// A command that serves, and whose options `ROOT/config.json` sets too. Those of the command line take precedence.
public protocol ConfiguredCommand: AsyncParsableCommand {
    /// The members of the configuration with its options, the common one first.
    static var sections: [String] { get }

    var options: ServiceOptions { get }
}

extension ConfiguredCommand {
    /// Parses the command line together with the configuration of the deployment that it names. Help and wrong arguments need no
    /// configuration.
    /// - Throws: what the parser throws; `FileRejection` for an invalid configuration.
    public static func configured(_ arguments: [String]) throws -> any ParsableCommand {
        let command = try parseAsRoot(arguments)
        guard let program = command as? Self else { return command }
        let words = try ConfigurationFile(path: program.options.configurationPath).words(for: Self.self, in: sections)
        return words.isEmpty ? program : try parse(words + arguments)
    }

    /// The entry point: `static func main() async { await start() }`, because the parser's own `main` takes precedence over one here.
    public static func start() async {
        do {
            var command = try configured(Array(CommandLine.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let rejection as FileRejection {
            FileHandle.standardError.write(Data("Error: \(rejection)\n".utf8))
            exit(withError: ExitCode(EX_CONFIG))
        } catch {
            exit(withError: error)
        }
    }
}
