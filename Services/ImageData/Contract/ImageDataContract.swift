import JSON
import RPC

/// The contract of image-data-service, version 1.
public enum ImageDataContract {
    /// The maximum size of an image for every caller, in bytes. In base64 it has 8,000,000 bytes, which fit into one
    /// message with the other members.
    public static let plainImageBytes = 6_000_000

    /// The maximum size of an image that an operator may configure, in bytes: the limit of a receiver for attachments.
    /// Only callers that accept attachments get images over `plainImageBytes`.
    public static let maximumImageBytes = 32 * 1_024 * 1_024

    /// The maximum number of URLs in one call.
    public static let maximumBatch = 100

    /// The maximum of a time parameter in seconds: a hundred years.
    public static let maximumSeconds = 36_525 * 86_400

    public static let contract = Contract(
        name: "image-data", version: 1,
        methods: [
            load.description, prefetch.description, put.description, check.description, stat.description,
            facts.description, evict.description,
        ])

    /// Returns the bytes of an image, or with `width` those of a smaller variant.
    ///
    /// Fails with `not_found` when there are no bytes, or none that the strategy allows; with `data_loss` when bytes
    /// that were put fail their checksum; with `connectivity` or `invalid_data` when the origin server does not answer
    /// or sends something invalid; and with `permission_denied` for an address that must not be requested.
    public static let load = Method(
        "image-data.load", "Return the bytes of an image.",
        params: LoadImage.codec, answer: LoadedImage.codec,
        errors: [.notFound, .connectivity, .invalidData, .permissionDenied, .dataLoss])

    /// Streams the bytes of an image. With the strategy `cache_then_load` the stream has the cached bytes, if any, then
    /// those of the origin server. With any other strategy it has one item.
    public static let loadStream = StreamMethod(
        "image-data.load", "Stream the bytes of an image, from the cache and then from the origin server.",
        params: LoadImage.codec, item: LoadedImage.codec,
        errors: [.notFound, .connectivity, .invalidData, .permissionDenied, .dataLoss])

    /// Fetches images that will probably be loaded soon, with a lower priority than loads. Returns when all fetches
    /// have ended. If the call is cancelled or its deadline expires, fetches that have not started are dropped. A
    /// service with `--no-fetch` accepts none.
    public static let prefetch = Method(
        "image-data.prefetch", "Fetch images that will probably be loaded soon.",
        params: PrefetchImages.codec, answer: Prefetched.codec)

    /// Stores the bytes of an image, which must be a complete JPEG, PNG, GIF, WebP or AVIF; otherwise the call fails
    /// with `invalid_data`.
    ///
    /// The call can be repeated. If the URL has other bytes, it fails with `already_exists`; if the bytes exceed the
    /// limit, with `too_large`. On an edge it fails with `read_only`.
    public static let put = Method(
        "image-data.put", "Store the bytes of an image.",
        params: PutImage.codec, answer: PutAnswer.codec, errors: [.invalidData, .alreadyExists, .readOnly, .dataLoss])

    /// Checks, without fetching, whether a load can return the bytes of a URL. Authors call it before they publish the
    /// URL.
    ///
    /// Fails with `permission_denied` when the service never fetches the URL, because of its scheme, port or
    /// credentials, or because its host has a forbidden address. A host that does not answer now is no error. On an
    /// edge the call fails with `read_only`.
    public static let check = Method(
        "image-data.check", "Check, without fetching, whether the bytes of a URL are available.",
        params: ImageSelection.codec, answer: CheckedImage.codec, errors: [.permissionDenied, .readOnly, .dataLoss])

    /// Returns the metadata of an image, without its bytes; `not_found` when there are no bytes.
    public static let stat = Method(
        "image-data.stat", "Return the metadata of an image.",
        params: ImageSelection.codec, answer: ImageMetadata.codec, errors: [.notFound, .dataLoss])

    /// Returns the sizes and placeholders of images whose bytes are stored. It does not wait: of images whose facts are not
    /// known yet, they are found in the background, for a later call.
    public static let facts = Method(
        "image-data.facts", "Return the sizes and placeholders of images.",
        params: FactSelection.codec, answer: ImageFacts.codec, errors: [.dataLoss])

    /// Evicts bytes and their variants, whether they were fetched or put. The call can be repeated: URLs without bytes are not counted.
    public static let evict = Method(
        "image-data.evict", "Evict bytes by URL, by age, or down to a total size.",
        params: EvictImages.codec, answer: EvictedImages.codec, errors: [.dataLoss])

    /// The codec of an image's URL.
    static let url = Codec.uri(schemes: ["http", "https", "urn"])
}
