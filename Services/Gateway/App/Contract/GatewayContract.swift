import JSON
import RPC

/// What the gateway answers itself, version 1; every other `service.verb` it passes on.
enum GatewayContract {
    static let contract = Contract(
        name: "gateway", version: 1,
        methods: [
            feedPage.description, comments.description, postComment.description, image.description,
            plugins.description,
        ])

    static let feedPage = Method(
        "gateway.feed_page", "A page of the feed as a reader sees it.",
        params: FeedPageRequest.codec, answer: FeedPageAnswer.codec,
        errors: [.connectivity, .invalidData, .dataLoss])

    /// `not_found` for an image that is not in the feed.
    static let comments = Method(
        "gateway.comments", "The comments of an image as a reader sees them.",
        params: CommentsRequest.codec, answer: CommentsAnswer.codec,
        errors: [.notFound, .connectivity, .invalidData, .dataLoss])

    /// As `comments.post`, for images that are in the feed: `not_found` for others. Repeatable with an `id` of the
    /// caller's own.
    static let postComment = Method(
        "gateway.post_comment", "Comment on an image of the feed.",
        params: PostCommentRequest.codec, answer: PostedComment.codec, isIdempotent: false,
        errors: [.notFound, .alreadyExists, .readOnly, .dataLoss])

    static let image = Method(
        "gateway.image", "The bytes of an image, with its title.",
        params: ImageRequest.codec, answer: ImageAnswer.codec,
        errors: [.notFound, .invalidData, .connectivity, .dataLoss])

    static let plugins = Method(
        "gateway.plugins", "The services behind the gateway and how they are.",
        params: Empty.codec, answer: PluginList.codec)
}

/// The answer of `gateway.plugins`.
struct PluginList: Sendable, Equatable {
    let plugins: [PluginReport]

    static let codec = Codec<PluginList>.object { object in
        let plugins = object.required("plugins", .array(of: PluginReport.codec), \.plugins)
        return { members throws(JSONError) in PluginList(plugins: try members[plugins]) }
    }
}
