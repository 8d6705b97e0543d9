import RPC

/// What feed-service answers, version 1.
public enum FeedContract {
    /// The most items or ids in one call.
    public static let maximumBatch = 100

    public static let contract = Contract(
        name: "feed", version: 1,
        methods: [
            load.description, get.description, publish.description, remove.description, validate.description,
            watch.description,
        ])

    /// A page of the feed, newest first.
    ///
    /// Fails with `invalid_params` for both cursors at once and for a cursor that was never an item, with `connectivity`
    /// on an edge whose upstream is not reached while nothing valid is kept.
    public static let load = Method(
        "feed.load", "A page of the feed, newest first.",
        params: LoadFeed.codec, answer: LoadedFeed.codec, errors: [.connectivity, .invalidData, .dataLoss])

    /// One item; `not_found` when it is not there.
    public static let get = Method(
        "feed.get", "One item of the feed.",
        params: FeedItemSelection.codec, answer: FeedItem.codec, errors: [.notFound, .dataLoss])

    /// Puts items on top, the first of them first; all or none.
    ///
    /// Repeatable: what is there already with the same content is left where it is and not counted. The same id with
    /// other content is `already_exists`, and nothing is written. An edge is `read_only`.
    public static let publish = Method(
        "feed.publish", "Put items on top of the feed, in this order.",
        params: PublishedItems.codec, answer: Count.codec, errors: [.alreadyExists, .readOnly, .dataLoss])

    /// Takes items out of the feed; their bytes and comments stay. Repeatable: ids that are not there are not counted.
    public static let remove = Method(
        "feed.remove", "Take items out of the feed.",
        params: RemovedItems.codec, answer: Count.codec, errors: [.readOnly, .dataLoss])

    /// Standalone: checks the store and deletes nothing (`data_loss` when it is damaged). On an edge: drops what has
    /// expired.
    public static let validate = Method(
        "feed.validate", "Check what is stored; on an edge drop what has expired.",
        params: Empty.codec, answer: Validation.codec, errors: [.dataLoss])

    /// What is published and removed, as it happens: an event for every write that has changed something, in the order
    /// of the writes, none lost and none twice. It has no end of its own.
    ///
    /// Without `since` it begins with what happens from now on. With the `seq` of an event it goes on after that one: the
    /// last 10,000 are kept while the service lives (fewer where they are larger than 64 MiB together). For a `since`
    /// that is older, of another life of the service, or no `seq` at all, the first event is `reset`, and the stream goes
    /// on from there; so it does for a watcher that takes events too slowly.
    ///
    /// To have the whole feed and miss nothing: watch with `since:""`, load the feed when the `reset` has come, and
    /// apply what follows. What was written in between is in the page and comes as an event as well; ids tell.
    public static let watch = StreamMethod(
        "feed.watch", "What is published and removed, as it happens.",
        params: WatchFeed.codec, item: FeedEvent.codec)
}
