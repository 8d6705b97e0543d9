import RPC

/// The contract of feed-service, version 1.
public enum FeedContract {
    /// The maximum number of items or ids in one call.
    public static let maximumBatch = 100

    public static let contract = Contract(
        name: "feed", version: 1,
        methods: [
            load.description, get.description, items.description, find.description, count.description,
            publish.description,
            remove.description,
            validate.description,
            watch.description,
        ])

    /// Returns a page of the feed, newest first.
    ///
    /// Fails with `invalid_params` if both cursors are given, or if the cursor was never an item. Fails with
    /// `connectivity` on an edge that cannot reach its upstream and has no valid cached copy.
    public static let load = Method(
        "feed.load", "Return a page of the feed, newest first.",
        params: LoadFeed.codec, answer: LoadedFeed.codec, errors: [.connectivity, .invalidData, .dataLoss])

    /// Returns one item, or `not_found`. An edge asks its upstream for an item that it does not know, and fails with
    /// `connectivity` when it cannot.
    public static let get = Method(
        "feed.get", "Return one item of the feed.",
        params: FeedItemSelection.codec, answer: LoadedItem.codec, errors: [.notFound, .connectivity, .dataLoss])

    /// Returns the items with these ids. An edge answers with those that it has cached or has just delivered, and asks its upstream for
    /// none.
    public static let items = Method(
        "feed.items", "Return the items with these ids.",
        params: SelectedIDs.codec, answer: SelectedItems.codec, errors: [.dataLoss])

    /// Returns the items whose ids begin with some digits, so that people can type a part of an id. An edge knows those of its cache.
    public static let find = Method(
        "feed.find", "Return the items whose ids begin with these digits.",
        params: FindItems.codec, answer: MatchingItems.codec, errors: [.dataLoss])

    /// Returns the number of items, which a mirror of the feed needs to show its progress. An edge counts the items of its cache.
    public static let count = Method(
        "feed.count", "Return the number of items of the feed.",
        params: Empty.codec, answer: Count.codec, errors: [.dataLoss])

    /// Adds items at the top of the feed, the first of them topmost. All items are stored, or none.
    ///
    /// The call can be repeated: an item that already exists with the same content keeps its position and is not
    /// counted. An existing id with other content fails with `already_exists`, and nothing is written. `width`, `height`
    /// and `placeholder` are not content: they are added to an item that has none, and ignored otherwise. The
    /// `published_at` of a new item is the service's time, unless the call gives one; publishing again does not change
    /// it. On an edge the call fails with `read_only`.
    public static let publish = Method(
        "feed.publish", "Add items at the top of the feed, in this order.",
        params: PublishedItems.codec, answer: Count.codec, errors: [.alreadyExists, .readOnly, .dataLoss])

    /// Removes items from the feed. Their image bytes and comments remain. The call can be repeated: unknown ids are
    /// not counted.
    public static let remove = Method(
        "feed.remove", "Remove items from the feed.",
        params: RemovedItems.codec, answer: Count.codec, errors: [.readOnly, .dataLoss])

    /// On an authority: checks the store and deletes nothing; fails with `data_loss` when the store is damaged. On an
    /// edge: deletes expired entries.
    public static let validate = Method(
        "feed.validate", "Check the store; on an edge, delete expired entries.",
        params: Empty.codec, answer: Validation.codec, errors: [.dataLoss])

    /// Streams the changes of the feed: one event for each write that changed something, in the order of the writes,
    /// without gaps or duplicates. The stream ends only when the store cannot be read.
    ///
    /// Without `since` the stream begins with the next change. With the `seq` of an event it resumes after that event.
    /// A store, or the cache of an edge, has the last 100,000 events, or fewer if they exceed 64 MiB, so a watch continues after a restart
    /// of the service. The first event is `reset` if `since` is older than these, comes from another store, or is not a `seq`; the stream
    /// then continues from the current state. A watcher that reads too slowly also gets a `reset`.
    ///
    /// To mirror the whole feed without gaps: watch with `since:""`, load the feed after the `reset`, then apply the
    /// events that follow. A change written in between is both in the loaded page and in an event; match them by id.
    public static let watch = StreamMethod(
        "feed.watch", "Stream published and removed items as they are written.",
        params: WatchFeed.codec, item: FeedEvent.codec, errors: [.dataLoss])
}
