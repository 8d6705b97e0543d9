import RPC

/// The contract of comments-service, version 1.
public enum CommentsContract {
    public static let contract = Contract(
        name: "comments", version: 1,
        methods: [
            list.description, lists.description, post.description, remove.description, counts.description,
            watch.description,
        ])

    /// Returns a page of an image's comments, oldest first. An unknown image has an empty list, because this service
    /// does not know which images exist.
    ///
    /// Fails with `invalid_params` for a cursor that was never a comment of this image. On an edge it fails with
    /// `connectivity` when the upstream gives no usable answer and no copy is cached, and with `not_found` when the
    /// upstream does not know the image.
    public static let list = Method(
        "comments.list", "Return a page of the comments of an image, oldest first.",
        params: ListComments.codec, answer: ListedComments.codec,
        errors: [.connectivity, .invalidData, .notFound, .dataLoss])

    /// Returns the first page of the comments of each of 1…100 images, for clients that read many of them. An answer ends after the
    /// image with which it has 1,000 comments or 1 MiB of texts, and names the images that are left.
    ///
    /// An edge answers from its cache, and omits images whose comments it has not fetched yet.
    public static let lists = Method(
        "comments.lists", "Return the first page of the comments of each of several images.",
        params: CommentedImages.codec, answer: CommentLists.codec, errors: [.dataLoss])

    /// Adds a comment. Comments are listed by `created_at`.
    ///
    /// With an `id` the call can be repeated: the same content returns the existing comment; other content fails with
    /// `already_exists`, and nothing is written. On an edge the call fails with `read_only`.
    ///
    /// The method is declared as not idempotent, because each call without an `id` adds another comment.
    public static let post = Method(
        "comments.post", "Add a comment to an image.",
        params: PostComment.codec, answer: Comment.codec, isIdempotent: false,
        errors: [.alreadyExists, .readOnly, .dataLoss])

    /// Removes a comment. The call can be repeated: an unknown id is not counted.
    public static let remove = Method(
        "comments.remove", "Remove a comment.",
        params: CommentSelection.codec, answer: Count.codec, errors: [.readOnly, .dataLoss])

    /// Returns the number of comments of each of 1…100 images. Images without comments are omitted; an edge also omits
    /// images whose comments it has not fetched yet.
    public static let counts = Method(
        "comments.counts", "Count the comments of images.",
        params: CommentedImages.codec, answer: CommentCounts.codec, errors: [.dataLoss])

    /// Streams the changes of all comments: one event for each write that changed something, in the order of the writes, without
    /// gaps or duplicates. `since`, `reset`, the limits and the end are those of `feed.watch`.
    public static let watch = StreamMethod(
        "comments.watch", "Stream posted and removed comments as they are written.",
        params: WatchComments.codec, item: CommentsEvent.codec, errors: [.dataLoss])
}
