import ArgumentParser
import HTTPTypes
import RPC

/// What the gateway knows of a plugin of ours beyond its methods: a command, endpoints, and what it adds to pages. All of it but the
/// command exists while the plugin's manifest is in force.
protocol PluginClient {
    /// The name of the plugin.
    static var plugin: String { get }

    static var command: any ParsableCommand.Type { get }

    static var endpoints: [Endpoint] { get }

    /// The folder with its templates and with the files that pages load, in the resources of this target. The templates `NAME-head` and
    /// `NAME-bar` are in the head and in the bar of each page.
    static var files: String { get }

    /// The members of these two templates.
    /// - Parameter isDown: whether the plugin does not answer.
    static func frame(_ reader: Reader, isDown: Bool) -> [String: Any?]

    /// The page of a tag; nil if the plugin has none.
    static func page(ofTag tag: String) -> String?

    /// The page of a place; nil if the plugin has none.
    static func page(ofPlace place: String) -> String?
}

/// The clients of our plugins. Without any, the list is empty; a client's folder supplies its own list in an extension.
enum PluginClients: PluginClientList {}

protocol PluginClientList {}

extension PluginClientList {
    static var all: [any PluginClient.Type] { [] }
}

extension PluginClients {
    /// Those whose plugins have a manifest.
    static func all(in registry: PluginRegistry) -> [any PluginClient.Type] {
        all.filter { registry.knows($0.plugin) }
    }
}
