import RPC

/// The contract of search-service, version 1.
public enum SearchContract {
    public static let contract = Contract(
        name: "search", version: 1, methods: [items.description, suggest.description])

    /// Returns the images that match a query, best first; images with the same score are newest first. Without words the images are
    /// newest first.
    ///
    /// No query is a syntax error: what is not an operator is a word. The operators are `"a phrase"`, `-not`, `tag:T`, `place:P`,
    /// `by:CREDIT` (of the picture), `from:AUTHOR` (of a comment) and a trailing `*` for a prefix. The last word of the query is a
    /// prefix too, if it has two letters and is not excluded.
    ///
    /// Fails with `invalid_params` for an `after` that is not from an answer to the same query, and with `data_loss` when the index
    /// is damaged.
    public static let items = Method(
        "search.items", "Return the images that match a query, best first.",
        params: SearchItems.codec, answer: FoundItems.codec, errors: [.dataLoss])

    /// Returns tags, places and comment authors that begin with a prefix, each the most frequent first. The prefix may be that of any
    /// word of them. An empty prefix returns the most frequent ones.
    public static let suggest = Method(
        "search.suggest", "Return tags, places and people that begin with a prefix.",
        params: Suggest.codec, answer: Suggestions.codec, errors: [.dataLoss])
}
