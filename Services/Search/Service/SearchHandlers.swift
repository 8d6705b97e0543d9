import Foundation
import RPC
import SQLiteKit
import Search
import SearchContract

/// Implements the contract of search.
struct SearchHandlers: Sendable {
    let index: Store
    let standing: IndexStanding

    var table: MethodTable {
        var table = MethodTable(SearchContract.contract)
        table.handle(SearchContract.items) { params, _ in try await items(params) }
        table.handle(SearchContract.suggest) { params, _ in try await suggestions(params) }
        return table
    }

    private func items(_ params: SearchItems) async throws -> FoundItems {
        let query = SearchQuery(params.query ?? "", tags: params.tags)
        var cursor: SearchCursor?
        if let after = params.after {
            cursor = SearchCursor(after, for: query)
            guard cursor != nil else {
                throw RPCError(.invalidParams, "params.after: is not the next_after of an answer to this query")
            }
        }
        let (limit, start) = (params.limit ?? SearchItems.defaultLimit, cursor)
        // Before reading: a change in between is not promised.
        let (indexedAt, indexing) = (standing.indexedAt, standing.indexing)
        let page = try await index.reading {
            try await SearchIndex($0).find(query, limit, after: start, maximumTotal: FoundItems.maximumTotal)
        }
        return FoundItems(
            items: page.images.map(FoundItem.init),
            nextAfter: page.hasMore ? page.images.last?.cursor.text(for: query) : nil, totalAtLeast: page.total,
            indexedAt: indexedAt, indexing: indexing)
    }

    private func suggestions(_ params: Suggest) async throws -> Suggestions {
        let limit = params.limit ?? Suggest.defaultLimit
        return try await index.reading { pool in
            let index = SearchIndex(pool)
            return Suggestions(
                tags: try await index.suggestions(params.prefix, .tag, limit).map(Suggestion.init),
                places: try await index.suggestions(params.prefix, .place, limit).map(Suggestion.init),
                people: try await index.suggestions(params.prefix, .person, limit).map(Suggestion.init))
        }
    }
}

extension FoundItem {
    fileprivate init(_ found: SearchIndex.Found) {
        self.init(
            imageID: found.id, snippet: found.snippet.parts.map { SnippetPart($0.text, isHit: $0.isHit) },
            score: found.score)
    }
}

extension Suggestion {
    fileprivate init(_ suggested: SearchIndex.Suggested) {
        self.init(text: suggested.text, count: suggested.images)
    }
}
