import FeedContract
import RPC

extension LoadFeed {
    /// The page that a query requests.
    init(_ query: Query) throws(RPCError) {
        self.init(
            limit: try query.integer("limit", in: Self.limits), afterID: try query.id("after_id"),
            beforeID: try query.id("before_id"))
        if afterID != nil, beforeID != nil {
            throw RPCError(.invalidParams, "before_id: cannot be combined with after_id", begun: false)
        }
    }
}
