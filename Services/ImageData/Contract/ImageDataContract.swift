import JSON
import RPC

/// What image-data-service answers, version 1.
public enum ImageDataContract {
    /// The largest image for every caller. Base64 makes 8,000,000 bytes of it, which with what stands around them fit into
    /// a message.
    public static let plainImageBytes = 6_000_000

    /// The largest image that an operator may allow: so much a receiver holds of attachments. What is over
    /// `plainImageBytes` is for callers who take those.
    public static let maximumImageBytes = 32 * 1_024 * 1_024

    /// The most URLs in one call.
    public static let maximumBatch = 100

    /// The longest time that a parameter may state: a hundred years.
    public static let maximumSeconds = 36_525 * 86_400

    public static let contract = Contract(
        name: "image-data", version: 1,
        methods: [
            load.description, prefetch.description, put.description, check.description, stat.description,
            evict.description,
        ])

    /// The bytes of an image.
    ///
    /// Fails with `not_found` when there are none (or none that the strategy allows), with `data_loss` when those that were
    /// put fail their checksum, with `connectivity` and `invalid_data` for what the image's host did or sent, and with
    /// `permission_denied` for an address that may not be asked.
    public static let load = Method(
        "image-data.load", "The bytes of an image.",
        params: LoadImage.codec, answer: LoadedImage.codec,
        errors: [.notFound, .connectivity, .invalidData, .dataLoss])

    /// The same as a stream, for the strategy `cache_then_load`: what is kept, if anything is, then what the origin has. With
    /// any other strategy, a stream of one.
    public static let loadStream = StreamMethod(
        "image-data.load", "The bytes of an image, from the cache and then from the origin.",
        params: LoadImage.codec, item: LoadedImage.codec, errors: [.notFound, .connectivity, .invalidData, .dataLoss])

    /// Fetches images that somebody may look at soon, after those that somebody looks at. Answers when all have come or
    /// failed; cancelling the call, or its deadline, drops what has not begun. A service that fetches nothing accepts none.
    public static let prefetch = Method(
        "image-data.prefetch", "Fetch images that may be looked at soon.",
        params: PrefetchImages.codec, answer: Prefetched.codec)

    /// Keeps the bytes of an image, which must be a complete JPEG, PNG, GIF, WebP or AVIF: else `invalid_data`.
    ///
    /// Repeatable. Other bytes for a URL that has some are `already_exists`; bytes over the limit are `too_large`. An edge
    /// is `read_only`.
    public static let put = Method(
        "image-data.put", "Keep the bytes of an image.",
        params: PutImage.codec, answer: PutAnswer.codec, errors: [.invalidData, .alreadyExists, .readOnly, .dataLoss])

    /// Says whether a load can have the bytes of a URL, without fetching them: for authors, before they publish it.
    ///
    /// `permission_denied` when the service never fetches the URL: for its scheme, port or credentials, or because its host
    /// has an address that is refused. A host that does not answer now is no error. An edge is `read_only`.
    public static let check = Method(
        "image-data.check", "Whether the bytes of a URL can be had, without fetching them.",
        params: ImageSelection.codec, answer: CheckedImage.codec, errors: [.readOnly, .dataLoss])

    /// What is known about the bytes of an image, without the bytes; `not_found` when there are none.
    public static let stat = Method(
        "image-data.stat", "What is known about the bytes of an image.",
        params: ImageSelection.codec, answer: ImageMetadata.codec, errors: [.notFound, .dataLoss])

    /// Lets go of bytes, whoever put them there. Repeatable: URLs without bytes are not counted.
    public static let evict = Method(
        "image-data.evict", "Let go of bytes: of these URLs, of a certain age, or down to a size.",
        params: EvictImages.codec, answer: EvictedImages.codec, errors: [.dataLoss])

    /// How an image is called.
    static let url = Codec.uri(schemes: ["http", "https", "urn"])
}
