import FeedContract
import Foundation
import HTTPTypes
import JSON
import RPC
import SearchContract

extension SearchClient {
    static let endpoints: [Endpoint] = [
        Endpoint(
            .get, "/v1/search", "searchItems",
            "Return the images that match a query, best first. Link names the next page.",
            parameters: SearchRequest.parameters,
            answers: [
                .json("A page of results.", SearchPayload.codec), .notModified,
                .problem(400, "A parameter is invalid."), .problem(503, "The plugin search does not answer."),
            ]
        ) { api, request throws(RPCError) in try await api.search(request) },
        Endpoint(
            .get, "/v1/search/suggestions", "suggest", "Return tags, places and people that begin with a prefix.",
            parameters: [
                ParameterDescription(
                    name: "prefix", summary: "What a reader has typed.", schema: Codec.string.schema)
            ],
            answers: [
                .json("The suggestions.", Suggestions.codec), .notModified,
                .problem(400, "A parameter is invalid."), .problem(503, "The plugin search does not answer."),
            ]
        ) { api, request throws(RPCError) in
            let params = Suggest(prefix: try request.query.text("prefix") ?? "")
            let suggestions = try await api.gateway.suggestions(params, request.options)
            return .document(RawJSON(suggestions, as: Suggestions.codec), for: request.head)
        },
        Pages.page("/search", "showSearch") { pages, reader, request throws(RPCError) in
            try await pages.search(SearchRequest(request.query), reader, request.options)
        },
    ]
}

extension API {
    fileprivate func search(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        let search = try SearchRequest(request.query)
        let answer = try await gateway.search(search.params(), request.options)
        let payload = SearchPayload(
            hits: answer.hits.map { SearchAnswer.Hit(item: publicURL.localized($0.item), found: $0.found) },
            found: answer.found, now: gateway.now())
        var response = HTTPAnswer.document(RawJSON(payload, as: SearchPayload.codec), for: request.head)
        response.fields["Link"] = answer.found.nextAfter.map {
            "<\(publicURL)\(search.path("/v1/search", after: $0))>; rel=\"next\""
        }
        return response
    }
}

/// The body of `GET /v1/search`: the items as in `/v1/feed`, with the members of `search.items`.
struct SearchPayload: Sendable {
    let hits: [SearchAnswer.Hit]

    /// Its items are not written; `hits` has them.
    let found: FoundItems

    /// Nil while the index is current: otherwise each answer would have another entity tag.
    let indexedAt: Date?

    /// An index that is behind by less counts as current.
    private static let patience: TimeInterval = 10

    init(hits: [SearchAnswer.Hit], found: FoundItems, now: Date) {
        let isCurrent = found.indexedAt.map { now.timeIntervalSince($0) < Self.patience } ?? false
        self.init(hits: hits, found: found, indexedAt: isCurrent ? nil : found.indexedAt)
    }

    private init(hits: [SearchAnswer.Hit], found: FoundItems, indexedAt: Date?) {
        (self.hits, self.found, self.indexedAt) = (hits, found, indexedAt)
    }

    static let codec = Codec<SearchPayload>.object { object in
        let hits = object.required("items", .array(of: SearchAnswer.Hit.codec), \.hits)
        let next = object.optional("next_after", .string, \.found.nextAfter, "Absent at the end.")
        let total = object.required("total_at_least", .integer(0...FoundItems.maximumTotal), \.found.totalAtLeast)
        let indexedAt = object.optional(
            "indexed_at", .date, \.indexedAt, "The index has all changes up to this time; absent while that is now.")
        let indexing = object.optional(
            "indexing", .integer(0...99), \.found.indexing, "Percent of the images that are indexed, if not all are.")
        return { members throws(JSONError) in
            let hits = try members[hits]
            return SearchPayload(
                hits: hits,
                found: FoundItems(
                    items: hits.map(\.found), nextAfter: try members[next], totalAtLeast: try members[total],
                    indexedAt: nil, indexing: try members[indexing]),
                indexedAt: try members[indexedAt])
        }
    }
}

extension SearchAnswer.Hit {
    fileprivate static let codec = Codec<SearchAnswer.Hit>.object { object in
        let item = FeedItem.Members(in: &object) { $0.item.item }
        let extensions = object.optional(
            "extensions", .dictionary(of: .any), { $0.item.extensions.isEmpty ? nil : $0.item.extensions })
        let snippet = object.required("snippet", .array(of: SnippetPart.codec), \.found.snippet)
        let score = object.required("score", .number(), \.found.score)
        return { members throws(JSONError) in
            let item = EnrichedItem(item: try item.read(members), extensions: try members[extensions] ?? [:])
            return SearchAnswer.Hit(
                item: item,
                found: FoundItem(
                    imageID: item.item.id, snippet: try members[snippet], score: try members[score]))
        }
    }
}
