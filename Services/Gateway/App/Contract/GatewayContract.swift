import JSON
import RPC

/// The contract of the gateway, version 1. It forwards every other `service.verb`.
enum GatewayContract {
    static let contract = Contract(
        name: "gateway", version: 1,
        methods: [
            feedPage.description, comments.description, postComment.description, image.description,
            plugins.description,
        ])

    static let feedPage = Method(
        "gateway.feed_page", "Return a page of the feed with texts in the user's language.",
        params: FeedPageRequest.codec, answer: FeedPageAnswer.codec,
        errors: [.connectivity, .invalidData, .dataLoss])

    /// Fails with `not_found` for an image that is not in the feed.
    static let comments = Method(
        "gateway.comments", "Return the comments of an image with texts in the user's language.",
        params: CommentsRequest.codec, answer: CommentsAnswer.codec,
        errors: [.notFound, .connectivity, .invalidData, .dataLoss])

    /// Like `comments.post`, but fails with `not_found` for an image that is not in the feed. With an `id` the call can
    /// be repeated.
    static let postComment = Method(
        "gateway.post_comment", "Comment on an image of the feed.",
        params: PostCommentRequest.codec, answer: PostedComment.codec, isIdempotent: false,
        errors: [.notFound, .alreadyExists, .readOnly, .dataLoss])

    static let image = Method(
        "gateway.image", "Return the bytes of an image, with its title.",
        params: ImageRequest.codec, answer: ImageAnswer.codec,
        errors: [.notFound, .invalidData, .connectivity, .dataLoss])

    static let plugins = Method(
        "gateway.plugins", "List the services behind the gateway and their states.",
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
