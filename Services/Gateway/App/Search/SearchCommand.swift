import ArgumentParser
import FeedContract
import Foundation
import JSON
import Presentation
import RPC
import SearchContract
import ServiceKit

struct SearchCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find images by words, tags, places and authors.",
        discussion: """
            The last word may be incomplete. Operators: "a phrase", -not, tag:T, place:P, by:PHOTOGRAPHER, \
            from:COMMENTER. Write -- before a query that begins with a minus.

            Examples:
              gateway search chick                     also finds chicken
              gateway search '"golden hour" -sea'      a phrase, without the sea
              gateway search --tag animals
              gateway search place:lisbon by:silva
              gateway search galinha --json | jq -r '.items[].image_id'
            """)

    static let isPaged = true
    static let parameterNames = ["limit": "--limit", "after": "--after", "tags": "--tag", "q": "words"]

    @OptionGroup var client: ClientOptions

    @Argument(help: "What to search for. Without words, all images, newest first.") var words: [String] = []

    @Option(
        name: .customLong("tag"), help: ArgumentHelp("Show only images with this tag. Repeatable.", valueName: "tag"))
    var tags: [String] = []

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The number of images per page, 1…100.", valueName: "count"))
    var limit = SearchItems.defaultLimit

    @Option(help: ArgumentHelp("Show the next page: the value that the page before names.", valueName: "cursor"))
    var after: String?

    func run(_ session: Session) async throws {
        // A space at the end would complete the last word.
        let query = words.joined(separator: " ")
        let params = SearchItems(query: query, tags: tags, limit: limit, after: after)
        let found = try await found(params, session)
        if let indexing = found.indexing {
            session.output.say(SearchText.indexing.text(in: session.language, "\(indexing)"))
        }
    }

    private func found(_ params: SearchItems, _ session: Session) async throws -> FoundItems {
        do throws(RPCError) {
            let result = try await session.call(SearchContract.items.name, RawJSON(params, as: SearchItems.codec))
            let found = try read(result)
            if session.asJSON {
                session.output.print(result)
            } else {
                let ids = found.items.map(\.imageID)
                // Without those that were just removed, or that an edge does not have any more.
                let items =
                    ids.isEmpty ? [] : try await session.call(FeedContract.items, SelectedIDs(ids: ids)).items
                session.output.print(text(found, items, session))
            }
            return found
        } catch {
            // Without the manifest the gateway has no such method.
            guard error.kind == .methodNotFound else { throw error }
            throw CommandFailure(
                RPCError(.unavailable, "this deployment has no search", begun: false),
                hints: [
                    "It has no manifest plugins.d/search.json. Copy it from Services/Search, and see 'gateway plugins'."
                ])
        }
    }

    private func read(_ result: RawJSON) throws(RPCError) -> FoundItems {
        do throws(JSONError) {
            return try result.read(as: FoundItems.codec)
        } catch {
            throw RPCError(.invalidData, "the answer violates its contract: \(error)")
        }
    }

    private func text(_ found: FoundItems, _ items: [FeedItem], _ session: Session) -> String {
        let (output, language) = (session.output, session.language)
        guard !items.isEmpty else {
            let wanted = (words + tags.map { "#\($0)" }).joined(separator: " ")
            return output.folded(SearchText.nothing.text(in: language, Escaping.visible(wanted)))
        }
        let texts = Texts(language)
        let snippets = Dictionary(found.items.map { ($0.imageID, $0.snippet) }, uniquingKeysWith: { first, _ in first })
        let columns = [
            TextTable.Column("ID"), TextTable.Column(texts[.columnLocation], fit: .shorten),
            TextTable.Column(texts[.columnDescription], fit: .shorten),
        ]
        let rows = items.map { item in
            let snippet = (snippets[item.id] ?? []).map { $0.text }.joined()
            // The place has a column of its own.
            let text =
                snippet.isEmpty || snippet == item.location
                ? FeedImagePresenter.viewModel(item, language).title : snippet
            return [item.id.uuidString, item.location ?? "", text]
        }
        let table = TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
        var id = ""
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // A row is one line, or a block of lines that begins with the id.
            id = items.first { line.contains($0.id.uuidString) }?.id.uuidString ?? id
            let snippet = UUID(uuidString: id).flatMap { snippets[$0] } ?? []
            return output.style.isOn ? Self.marked(line, snippet, output.style) : String(line)
        }.joined(separator: "\n")
        let next = found.nextAfter.map { output.style.dim("\(texts[.feedNextPage]): \(command(after: $0))") }
        return [lines, next].compactMap(\.self).joined(separator: "\n")
    }

    /// A line of the table with the hits of its snippet marked: after the table has escaped, measured and shortened its cells.
    static func marked(_ line: Substring, _ snippet: [SnippetPart], _ style: Style) -> String {
        let parts = snippet.map { (text: Escaping.visible($0.text), isHit: $0.isHit) }
        let text = Array(parts.map(\.text).joined())
        let hits = parts.flatMap { part in Array(repeating: part.isHit, count: part.text.count) }
        let line = Array(line)
        let lengths = line.indices.map { start in zip(line[start...], text).prefix { $0 == $1 }.count }
        guard let length = lengths.max(), length > 0, let start = lengths.firstIndex(of: length) else {
            return String(line)
        }
        // The cell has the whole snippet, or its beginning and an ellipsis.
        guard length == text.count || line[(start + length)...].first == "…" else { return String(line) }
        var marked = String(line[..<start])
        var place = 0
        while place < length {
            let end = (place..<length).first { hits[$0] != hits[place] } ?? length
            let part = String(line[start + place..<start + end])
            marked += hits[place] ? style.bold(style.yellow(part)) : part
            place = end
        }
        return marked + String(line[(start + length)...])
    }

    private func command(after cursor: String) -> String {
        let size = limit == SearchItems.defaultLimit ? "" : " --limit \(limit)"
        let words = words.map(\.shellWord).joined(separator: " ")
        let options = tags.map { " --tag \($0.shellWord)" }.joined()
        return "gateway search\(client.route)\(size)\(options) --after \(cursor)\(words.isEmpty ? "" : " -- \(words)")"
    }
}
