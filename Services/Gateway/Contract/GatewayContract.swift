import CommentsContract
import JSON
import RPC

/// The contract of the gateway, version 1. It forwards every other `service.verb`.
public enum GatewayContract {
    public static let contract = Contract(
        name: "gateway", version: 1,
        methods: [
            feedPage.description, comments.description, postComment.description, image.description,
            plugins.description,
        ])

    /// Returns a page of the feed, ready to show.
    public static let feedPage = Method(
        "gateway.feed_page", "Return a page of the feed with texts in the user's language.",
        params: FeedPageRequest.codec, answer: FeedPageAnswer.codec,
        errors: [.connectivity, .invalidData, .permissionDenied, .dataLoss])

    /// Returns the comments of an image, ready to show.
    ///
    /// Fails with `not_found` for an image that is not in the feed.
    public static let comments = Method(
        "gateway.comments", "Return the comments of an image with texts in the user's language.",
        params: CommentsRequest.codec, answer: CommentsAnswer.codec,
        errors: [.notFound, .connectivity, .invalidData, .permissionDenied, .dataLoss])

    /// Like `comments.post`, but fails with `not_found` for an image that is not in the feed. With an `id` the call can
    /// be repeated.
    public static let postComment = Method(
        "gateway.post_comment", "Comment on an image of the feed.",
        params: PostCommentRequest.codec, answer: PostedComment.codec, isIdempotent: false,
        errors: [.notFound, .permissionDenied, .alreadyExists, .readOnly, .dataLoss])

    /// Returns the answer of `image-data.load`, with the title of the item.
    public static let image = Method(
        "gateway.image", "Return the bytes of an image, with its title.",
        params: ImageRequest.codec, answer: ImageAnswer.codec,
        errors: [.notFound, .invalidData, .connectivity, .permissionDenied, .dataLoss])

    /// Returns the state of each plugin.
    public static let plugins = Method(
        "gateway.plugins", "List the services behind the gateway and their states.",
        params: Empty.codec, answer: PluginList.codec)
}

/// The answer of `gateway.plugins`.
public struct PluginList: Sendable, Equatable {
    public let plugins: [PluginReport]
    public let refused: [RefusedManifest]

    public init(plugins: [PluginReport], refused: [RefusedManifest] = []) {
        self.plugins = plugins
        self.refused = refused
    }

    public static let codec = Codec<PluginList>.object { object in
        let plugins = object.required("plugins", .array(of: PluginReport.codec), \.plugins)
        let refused = object.required("refused", .array(of: RefusedManifest.codec), \.refused)
        return { members throws(JSONError) in
            PluginList(plugins: try members[plugins], refused: try members[refused])
        }
    }
}
