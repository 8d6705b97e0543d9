import RPC

/// What comments-service answers, version 1.
public enum CommentsContract {
    public static let contract = Contract(
        name: "comments", version: 1,
        methods: [list.description, post.description, remove.description, counts.description])

    /// A page of an image's comments, oldest first. An image that nobody has heard of has an empty list: this service
    /// cannot know.
    ///
    /// Fails with `invalid_params` for a cursor that was never a comment of this image; on an edge with `connectivity` while
    /// its upstream does not answer as it should and nothing is kept, with `not_found` when its upstream knows no such image.
    public static let list = Method(
        "comments.list", "A page of the comments of an image, oldest first.",
        params: ListComments.codec, answer: ListedComments.codec,
        errors: [.connectivity, .invalidData, .notFound, .dataLoss])

    /// Adds a comment. It is listed by its `created_at`.
    ///
    /// With an `id` it is repeatable: the same content once more answers with the comment that is there, other content is
    /// `already_exists`, and nothing is written. An edge is `read_only`.
    ///
    /// Not idempotent as a method, because without an `id` every call is a comment of its own.
    public static let post = Method(
        "comments.post", "Append a comment to those of an image.",
        params: PostComment.codec, answer: Comment.codec, isIdempotent: false,
        errors: [.alreadyExists, .readOnly, .dataLoss])

    /// Takes a comment away. Repeatable: one that is not there is not counted.
    public static let remove = Method(
        "comments.remove", "Take a comment away.",
        params: CommentSelection.codec, answer: Count.codec, errors: [.readOnly, .dataLoss])

    /// How many comments each of 1…100 images has; images without comments are left out, on an edge also those whose
    /// comments it has not fetched yet.
    public static let counts = Method(
        "comments.counts", "Count the comments of images.",
        params: CountComments.codec, answer: CommentCounts.codec, errors: [.dataLoss])
}
