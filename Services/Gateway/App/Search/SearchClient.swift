import ArgumentParser
import Foundation
import RPC
import SearchContract

/// The gateway's client of the plugin `search`: everything that the gateway knows of it is in this folder.
enum SearchClient: PluginClient {
    static let plugin = "search"

    static var command: any ParsableCommand.Type { SearchCommand.self }

    static let files = "SearchPage"

    static func page(ofTag tag: String) -> String? { SearchRequest(tags: [tag]).path("/search") }

    static func head() -> String {
        """
        <link rel="stylesheet" href="\(Asset.path("search.css"))">
        <script type="module" src="\(Asset.path("search.js"))"></script>
        """
    }

    static func bar(_ reader: Reader, isDown: Bool) -> String {
        Templates.render("search-field", SearchField.model(reader, isDown: isDown))
    }
}

extension PluginClients {
    static var all: [any PluginClient.Type] { [SearchClient.self] }
}
