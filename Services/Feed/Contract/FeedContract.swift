import RPC

/// What feed-service answers, version 1.
public enum FeedContract {
    /// The most items or ids in one call.
    public static let maximumBatch = 100

    public static let contract = Contract(
        name: "feed", version: 1,
        methods: [
            load.description, get.description, publish.description, remove.description, validate.description,
        ])

    /// A page of the feed, newest first.
    ///
    /// Fails with `invalid_params` for both cursors at once and for a cursor that was never an item, with `connectivity`
    /// on an edge whose upstream is not reached while nothing valid is kept.
    public static let load = Method(
        "feed.load", "A page of the feed, newest first.",
        params: LoadFeed.shape, answer: LoadedFeed.shape, errors: [.connectivity, .invalidData, .dataLoss])

    /// One item; `not_found` when it is not there.
    public static let get = Method(
        "feed.get", "One item of the feed.",
        params: FeedItemSelection.shape, answer: FeedItem.shape, errors: [.notFound, .dataLoss])

    /// Puts items on top, the first of them first; all or none.
    ///
    /// Repeatable: what is there already with the same content is left where it is and not counted. The same id with
    /// other content is `already_exists`, and nothing is written. An edge is `read_only`.
    public static let publish = Method(
        "feed.publish", "Put items on top of the feed, in this order.",
        params: PublishedItems.shape, answer: Count.shape, errors: [.alreadyExists, .readOnly, .dataLoss])

    /// Takes items out of the feed; their bytes and comments stay. Repeatable: ids that are not there are not counted.
    public static let remove = Method(
        "feed.remove", "Take items out of the feed.",
        params: RemovedItems.shape, answer: Count.shape, errors: [.readOnly, .dataLoss])

    /// Standalone: checks the store and deletes nothing (`data_loss` when it is damaged). On an edge: drops what has
    /// expired.
    public static let validate = Method(
        "feed.validate", "Check what is stored; on an edge drop what has expired.",
        params: Empty.shape, answer: Validation.shape, errors: [.dataLoss])
}
