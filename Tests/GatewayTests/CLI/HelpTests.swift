import Testing

@testable import gateway

/// The help of each command, as people see it in 80 columns.
@Suite struct HelpTests {
    private static let commands =
        [""] + GatewayCommand.configuration.subcommands.compactMap { $0.configuration.commandName }

    @Test(arguments: commands) func `the help is that of the golden file`(command: String) async throws {
        let words = (command.isEmpty ? [] : [command]) + ["--help"]
        let request = await #expect(throws: (any Error).self) {
            var command = try await GatewayCommand.asyncParseAsRoot(words)
            try command.run()
        }
        let help = GatewayCommand.fullMessage(for: try #require(request), columns: 80)
        try Golden.expect(help, (["gateway"] + words.dropLast()).joined(separator: "-"))
    }
}
