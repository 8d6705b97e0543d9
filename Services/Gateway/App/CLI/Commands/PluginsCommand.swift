import ArgumentParser
import GatewayContract
import RPC

struct PluginsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List the services behind the gateway, and their states.")

    @OptionGroup var client: ClientOptions

    func run(_ session: Session) async throws {
        _ = try await session.show(GatewayContract.plugins, Empty()) { list in
            let columns = [
                TextTable.Column("NAME"), TextTable.Column("STATE"), TextTable.Column("VERSION"),
                TextTable.Column("CONTRACTS"), TextTable.Column("ROUND TRIP", align: .right),
                TextTable.Column("ERROR", fit: .wrap),
            ]
            return TextTable(columns, rows: list.plugins.map(row))
                .rendered(in: session.output.columns, style: session.output.style)
        }
    }

    private func row(_ plugin: PluginReport) -> [String] {
        let contracts = plugin.contracts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        return [
            plugin.name, plugin.state.rawValue, plugin.version ?? "", contracts,
            plugin.roundTrip.map { "\($0) µs" } ?? "", plugin.error ?? "",
        ]
    }
}
