import Testing

@testable import gateway

/// The help of each command, as people see it in 80 columns. The commands of plugins are tested with their plugins.
@Suite struct HelpTests {
    private static let plugins = PluginClients.all.compactMap { $0.command.configuration.commandName }
    private static let commands =
        [""]
        + GatewayCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        .filter { !plugins.contains($0) }

    @Test(arguments: commands) func `the help is that of the golden file`(command: String) async throws {
        let words = (command.isEmpty ? [] : [command]) + ["--help"]
        let request = await #expect(throws: (any Error).self) {
            var command = try await GatewayCommand.asyncParseAsRoot(words)
            try command.run()
        }
        let help = GatewayCommand.fullMessage(for: try #require(request), columns: 80)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { line in !Self.plugins.contains { line.hasPrefix("  \($0) ") } }.joined(separator: "\n")
        try Golden.expect(help, (["gateway"] + words.dropLast()).joined(separator: "-"))
    }
}
