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

    static func page(ofPlace place: String) -> String? {
        // A phrase cannot have a quotation mark. Words count, not what is between them. By bytes, because an upstream's place may have
        // a run of combining marks.
        let words = String(
            decoding: place.utf8.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        return SearchRequest(query: "place:\"\(words)\"").path("/search")
    }

    static func frame(_ reader: Reader, isDown: Bool) -> [String: Any?] {
        // The page of results has a field of its own, which is wider.
        [
            "style": Asset.path("search.css"), "script": Asset.path("search.js"),
            "isResults": reader.target.path == ["search"], "s": SearchText.all(in: reader.language),
            "hint": (isDown ? SearchText.unavailable : .search).text(in: reader.language),
        ]
    }
}

extension PluginClients {
    static var all: [any PluginClient.Type] { [SearchClient.self] }
}
