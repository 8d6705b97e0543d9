import ArgumentParser
import GatewayContract
import RPC
import ServiceKit

struct PluginsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List the services behind the gateway, and their states.")

    @OptionGroup var client: ClientOptions

    @Flag(help: "List only refused manifests, one a line.") var refused = false

    func run(_ session: Session) async throws {
        guard !refused else {
            return try await session.call(GatewayContract.plugins, Empty()).refused.forEach {
                session.output.print(Escaping.visible("\($0.place): \($0.reason)"))
            }
        }
        _ = try await session.show(GatewayContract.plugins, Empty()) { PluginsText(output: session.output).text($0) }
    }
}

/// Formats the list of plugins as text.
struct PluginsText {
    let output: Output

    func text(_ list: PluginList) -> String {
        let columns = [
            TextTable.Column("NAME"), TextTable.Column("STATE"), TextTable.Column("VERSION"),
            TextTable.Column("CONTRACTS"), TextTable.Column("ROUND TRIP", align: .right),
            TextTable.Column("ERROR", fit: .wrap),
        ]
        // A refused manifest of a running plugin is a notice in that plugin's row.
        let refused = list.refused.filter { refused in !list.plugins.contains { $0.name == refused.name } }
        return TextTable(columns, rows: list.plugins.map(row) + refused.map(row))
            .rendered(in: output.columns, style: output.style)
    }

    private func row(_ plugin: PluginReport) -> [String] {
        let contracts = plugin.contracts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        return [
            plugin.name, plugin.state.rawValue, plugin.version ?? "", contracts,
            plugin.roundTrip.map { "\($0) µs" } ?? "",
            ([plugin.error].compactMap(\.self) + plugin.notices).joined(separator: "; "),
        ]
    }

    private func row(_ manifest: RefusedManifest) -> [String] {
        [manifest.name, "refused", "", "", "", "\(manifest.place): \(manifest.reason)"]
    }
}

extension RefusedManifest {
    fileprivate var place: String { line.map { "\(file):\($0)" } ?? file }
}
