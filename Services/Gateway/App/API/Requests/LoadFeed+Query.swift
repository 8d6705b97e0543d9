import FeedContract
import RPC

private let limitParameter = QueryParameter.integer(
    "limit", in: LoadFeed.limits, default: LoadFeed.defaultLimit, example: 3, "The maximum number of items.")
private let afterIDParameter = QueryParameter.id("after_id", "Return the items after (older than) this one.")
private let beforeIDParameter = QueryParameter.id(
    "before_id", "Return the items before (newer than) this one. Cannot be combined with after_id.")

extension LoadFeed {
    /// The parameters that select a page of the feed.
    static let parameters = [limitParameter.description, afterIDParameter.description, beforeIDParameter.description]

    /// The page that a query requests.
    init(_ query: Query) throws(RPCError) {
        let (after, before) = (try afterIDParameter.value(in: query), try beforeIDParameter.value(in: query))
        guard after == nil || before == nil else {
            throw RPCError(.invalidParams, "before_id: cannot be combined with after_id", begun: false)
        }
        self.init(limit: try limitParameter.value(in: query), afterID: after, beforeID: before)
    }
}
