import FeedContract
import Foundation
import HTTPTypes
import Presentation
import RPC
import SearchContract

extension Pages {
    /// The page of results, or of a tag. While search does not answer, it says so.
    func search(
        _ search: SearchRequest, _ reader: Reader, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let answer = await result { () throws(RPCError) in
            try await gateway.shownResults(search.params(size: Self.pageSize(.list)), options)
        }
        if let error = answer.error, !Self.passing.contains(error.kind) { throw error }
        let language = reader.language
        let query = search.query ?? ""
        let heading =
            query.isEmpty && search.tags.count == 1 ? SearchText.tag.text(in: language, search.tags[0]) : nil
        let wanted = ([query] + search.tags.map { "#\($0)" }).filter { !$0.isEmpty }.joined(separator: " ")
        let found = answer.value?.found
        let isNew = query.isEmpty && search.tags.isEmpty
        let examples = isNew ? await examples(beside: answer.value?.hits.map(\.item.item) ?? [], options) : []
        let model: [String: Any?] = [
            "s": SearchText.all(in: language), "query": query, "filters": filters(search, language),
            "isNew": isNew, "heading": heading, "hasExamples": !examples.isEmpty,
            "examples": examples.map { example in
                [
                    "link": SearchRequest(query: example.query).path(path("/search")), "query": example.query,
                    "meaning": example.meaning.text(in: language),
                ]
            },
            "total": found.map { SearchText.total($0.totalAtLeast, in: language) },
            "items": answer.value?.hits.enumerated().map { hit($1, at: $0, reader) } ?? [],
            "nothing": answer.value?.hits.isEmpty == true && answer.value?.missing == 0 && search.after == nil
                ? SearchText.nothing.text(in: language, wanted) : nil,
            "indexing": found?.indexing.map { SearchText.indexing.text(in: language, "\($0)") },
            "unavailable": answer.error != nil,
            "problem": answer.value.flatMap { problem(of: $0, language) },
            "next": found?.nextAfter.map { search.path(path("/search"), after: $0) },
            "first": search.after == nil ? nil : search.path(path("/search")),
        ]
        let title = heading ?? (wanted.isEmpty ? SearchText.search.text(in: language) : wanted)
        let frame = Frame(
            title: title, description: gateway.site.description(in: language), canonicalPath: search.path("/search"),
            kind: "search")
        var page = page("search", frame, model, answer.error == nil ? .ok : .serviceUnavailable, for: reader)
        if let error = answer.error { page.note(error) }
        return page
    }

    /// The errors after which the page says that search is not available right now.
    private static let passing: Set<ErrorKind> = [.unavailable, .deadlineExceeded, .overloaded, .connectivity]

    /// What the page says about the results that it does not show, or about what is missing beside them.
    private func problem(of answer: SearchAnswer, _ language: Language) -> String? {
        guard !answer.isWhole else { return nil }
        return answer.missing == 0
            ? Texts(language)[.partsUnavailable] : SearchText.missing(answer.missing, in: language)
    }

    /// Searches that find something here. Without suggestions they are fewer.
    private func examples(beside items: [FeedItem], _ options: CallOptions) async -> [SearchExample] {
        let suggestions = await gateway.registry.optional(
            SearchClient.plugin, SearchContract.suggest, Suggest(prefix: ""), within: Feed.patienceForParts, options)
        return SearchExample.all(suggestions.value, items)
    }

    /// The tags of the search, each with the search without it.
    private func filters(_ search: SearchRequest, _ language: Language) -> [[String: String]] {
        search.tags.indices.map { index in
            var other = search
            other.tags.remove(at: index)
            other.after = nil
            return [
                "tag": search.tags[index], "without": other.path(path("/search")),
                "name": SearchText.without.text(in: language, search.tags[index]),
            ]
        }
    }

    /// The members of a result in the template.
    private func hit(_ hit: SearchAnswer.Hit, at index: Int, _ reader: Reader) -> [String: Any] {
        let image = FeedImagePresenter.viewModel(hit.item, reader.language)
        var members = row(image, at: index, reader)
        let parts = parts(hit.found.snippet, without: image.heading)
        // A snippet of the title takes its place. Without a title the text's beginning is the title.
        let text = parts.map(\.text).filter { $0 != "…" }.joined()
        let isOfTitle = (image.heading ?? image.text)?.replacing(/[\n\r\t]/, with: " ").contains(text) ?? false
        // The place is shown anyway.
        if text != image.location {
            members[isOfTitle ? "titleSnippet" : "snippet"] = parts.map { ["part": $0.text, "isHit": $0.isHit] }
        }
        return members
    }

    /// The parts of a snippet without the title that it begins with: the title is shown above it.
    private func parts(_ snippet: [SnippetPart], without title: String?) -> [SnippetPart] {
        guard let title, snippet.map(\.text).joined().hasPrefix(title + " ") else { return snippet }
        var excess = title.count + 1
        return snippet.compactMap { part in
            let text = part.text.dropFirst(excess)
            excess -= min(excess, part.text.count)
            return text.isEmpty ? nil : SnippetPart(String(text), isHit: part.isHit)
        }
    }
}
