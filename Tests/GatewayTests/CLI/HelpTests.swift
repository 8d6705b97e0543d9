import Foundation
import RPCTestKit
import Testing

@testable import gateway

/// The help of each command, as people see it in 80 columns. After a change, run these tests with `UPDATE_GOLDEN=1`, and look at
/// the difference.
@Suite struct HelpTests {
    private static let folder = Program.repository + "/Tests/GatewayTests/CLI/Golden"

    private static let commands =
        [""] + GatewayCommand.configuration.subcommands.compactMap { $0.configuration.commandName }

    @Test(arguments: commands) func `the help is that of the golden file`(command: String) async throws {
        let words = (command.isEmpty ? [] : [command]) + ["--help"]
        let request = await #expect(throws: (any Error).self) {
            var command = try await GatewayCommand.asyncParseAsRoot(words)
            try command.run()
        }
        let help = GatewayCommand.fullMessage(for: try #require(request), columns: 80)
        let path = "\(Self.folder)/\((["gateway"] + words.dropLast()).joined(separator: "-")).txt"
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try Data(help.utf8).write(to: URL(filePath: path))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == help)
    }
}
